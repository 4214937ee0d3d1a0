import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import type { Collection } from './collection.entity.ts';

/** Returns when a declined automatic payment is repeated. Null if all attempts were made. */
export function nextCharge({ attempts, firstAttemptAt }: Collection, retryDays: readonly number[]): Date | null {
  const days = retryDays[attempts - 1];
  return days === undefined || !firstAttemptAt ? null : new Date(firstAttemptAt.getTime() + days * DAY_MS);
}

/**
 * Schedules the automatic payments of all open invoices of an account anew, after automatic payment was switched on or the
 * payment method was changed. Invoices that are due are then charged at once. The caller has locked the billing account.
 */
export async function rescheduleCharges(tx: EntityManager, { organizationId, accountId }: BillingAccount): Promise<void> {
  await tx.execute('select 1 from "billing"."dunning" where "id" = ? for update', [accountId]);
  await tx.execute(
    `update "billing"."collection" set "attempts" = 0, "first_attempt_at" = null, "charge_due_at" = "overdue_at" - interval '1 day'
     where "organization_id" = ? and "account_id" = ?`,
    [organizationId, accountId],
  );
}
