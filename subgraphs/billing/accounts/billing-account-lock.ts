import type { EntityManager } from '../../../kernel/database/database.ts';
import { executeUnread, LOCKED } from '../../../kernel/records/records.ts';
import { BillingAccount } from './billing-account.entity.ts';

/**
 * Returns the billing account of an account, and locks it until the transaction ends. Creates it with the defaults if it does
 * not exist yet. The caller must have checked that the organization has the account. A transaction that locks several accounts
 * must lock them in the order of their ids.
 */
export async function billingAccountOf(tx: EntityManager, organizationId: string, accountId: string, now: Date): Promise<BillingAccount> {
  const [account] = await billingAccountsOf(tx, organizationId, [accountId], now);
  return account as BillingAccount;
}

/** Returns and locks the billing accounts of several accounts, in the order of their ids, as `billingAccountOf` does. */
export async function billingAccountsOf(
  tx: EntityManager,
  organizationId: string,
  accountIds: readonly string[],
  now: Date,
): Promise<BillingAccount[]> {
  const ids = JSON.stringify(accountIds);
  await executeUnread(
    tx,
    `insert into "billing"."billing_account" ("organization_id", "account_id", "created_at")
     select ?, "id", ?::timestamptz from json_array_elements_text(?::json) "id" order by "id" on conflict do nothing`,
    [organizationId, now.toISOString(), ids],
  );
  const where = { organizationId, accountId: { $in: [...accountIds] } };
  return tx.find(BillingAccount, where, { ...LOCKED, orderBy: { accountId: 'asc' }, refresh: true });
}
