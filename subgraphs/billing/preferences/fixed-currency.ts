import type { EntityManager } from '../../../kernel/database/database.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import { currencyIsFixed } from '../accounts/billing-account.errors.ts';

/**
 * Checks that the currency of an account can still be changed: the platform has not generated an invoice in this currency yet. Invoices
 * that a request created are ignored, because they may have any currency. The caller must have locked the billing account. Transactions
 * that generate an invoice in its currency lock the billing account too.
 * @throws PreferencesNotAllowed
 */
export async function requireFreeCurrency(tx: EntityManager, { organizationId, accountId, currency }: BillingAccount): Promise<void> {
  const generated = await tx.execute<object[]>(
    `select 1 from "billing"."invoice" where "organization_id" = ? and "account_id" = ? and "source" is not null limit 1`,
    [organizationId, accountId],
  );
  if (generated.length > 0) throw currencyIsFixed(accountId, currency);
}
