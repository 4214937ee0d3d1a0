import type { EntityManager } from '../../../kernel/database/database.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import { currencyIsFixed } from '../accounts/billing-account.errors.ts';

/**
 * Checks that the platform has not billed services of the account in its currency yet. Invoices that a request created do not
 * count, because such an invoice may have any currency. The caller has locked the billing account, as transactions must that
 * generate an invoice in its currency.
 * @throws PreferencesNotAllowed
 */
export async function requireFreeCurrency(tx: EntityManager, { organizationId, accountId, currency }: BillingAccount): Promise<void> {
  const generated = await tx.execute<object[]>(
    `select 1 from "billing"."invoice" where "organization_id" = ? and "account_id" = ? and "source" is not null limit 1`,
    [organizationId, accountId],
  );
  if (generated.length > 0) throw currencyIsFixed(accountId, currency);
}
