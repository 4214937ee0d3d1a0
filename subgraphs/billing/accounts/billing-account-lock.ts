import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { BillingAccount } from './billing-account.entity.ts';

/**
 * Returns the billing account of an account, and locks it until the transaction ends. Creates it with the defaults if it does
 * not exist yet. The caller must have checked that the organization has the account. A transaction that locks several accounts
 * must lock them in the order of their ids.
 */
export async function billingAccountOf(tx: EntityManager, organizationId: string, accountId: string, now: Date): Promise<BillingAccount> {
  await tx.execute(
    `insert into "billing"."billing_account" ("organization_id", "account_id", "created_at") values (?, ?, ?::timestamptz) on conflict do nothing`,
    [organizationId, accountId, now.toISOString()],
  );
  return tx.findOneOrFail(BillingAccount, { organizationId, accountId }, { ...LOCKED, refresh: true });
}
