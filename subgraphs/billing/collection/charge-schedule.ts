import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import type { Collection } from './collection.entity.ts';

/** Returns the time at which a declined automatic payment is retried. Null if no attempts are left. */
export function nextCharge({ attempts, firstAttemptAt }: Collection, retryDays: readonly number[]): Date | null {
  const days = retryDays[attempts - 1];
  return days === undefined || !firstAttemptAt ? null : new Date(firstAttemptAt.getTime() + days * DAY_MS);
}

/** The account or subscription whose open invoices are charged again. */
interface Charged extends Pick<BillingAccount, 'organizationId' | 'accountId'> {
  /** Subscription whose open invoices are charged again. Default: all open invoices of the account. */
  subscriptionId?: string;
}

/**
 * Starts the attempts of automatic payment for open invoices from the beginning, after automatic payment was switched on or the payment
 * method was changed. Invoices that are due are charged immediately. The caller must have locked the billing account.
 */
export async function rescheduleCharges(tx: EntityManager, { organizationId, accountId, subscriptionId }: Charged): Promise<void> {
  await tx.execute('select 1 from "billing"."dunning" where "id" = ? for update', [accountId]);
  await tx.execute(
    `update "billing"."collection" c set "attempts" = 0, "first_attempt_at" = null, "charge_due_at" = "overdue_at" - interval '1 day'
     where "organization_id" = ? and "account_id" = ? and (?::text is null or exists (
       select from "billing"."invoice" i where i."id" = c."id" and i."subscription_id" = ?))`,
    [organizationId, accountId, subscriptionId ?? null, subscriptionId ?? null],
  );
}
