import type { Plan } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { advisoryLock } from '../../../kernel/records/records.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { NotificationLimitReached } from './notification.errors.ts';
import { NotificationStatus } from './notification.states.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';

/**
 * Maximum number of notification recipients of an organization per hour, by plan. The limit prevents mass mailing with
 * a stolen API key.
 */
const PER_HOUR: Readonly<Record<Plan, number>> = {
  developer: 100,
  business: 1_000,
  enterprise: 10_000,
  custom: Number.POSITIVE_INFINITY,
};

/**
 * Filter for the recipients that are counted for the limit. Recipients that were rejected because of the limit are not
 * counted.
 */
const COUNTED = { $or: [{ status: { $ne: NotificationStatus.FAILED } }, { attempts: { $gt: 0 } }] };

/**
 * Returns how many more recipients the limit allows now. The limit counts the recipients of the last 60 minutes. Unless
 * the plan has no limit, takes an advisory lock for the organization until the transaction ends. To avoid deadlocks, a
 * transaction that also locks a ticket must lock the ticket first.
 */
export async function remainingAllowance(tx: EntityManager, organizationId: string, plan: Plan, now: Date): Promise<number> {
  const limit = PER_HOUR[plan];
  return Math.max(0, limit - (await usedOf(tx, organizationId, limit, now)));
}

/**
 * Checks that the limit allows as many additional recipients as `more` states. Takes the same lock as
 * `remainingAllowance`.
 * @throws NotificationLimitReached
 */
export async function checkAllowance(tx: EntityManager, organizationId: string, plan: Plan, now: Date, more: number): Promise<void> {
  const limit = PER_HOUR[plan];
  const used = await usedOf(tx, organizationId, limit, now);
  if (used + more > limit) throw new NotificationLimitReached(limit, used);
}

async function usedOf(tx: EntityManager, organizationId: string, limit: number, now: Date): Promise<number> {
  if (limit === Number.POSITIVE_INFINITY) return 0;
  await advisoryLock(tx, `support.notifications:${organizationId}`);
  return tx.count(NotificationRecipient, { createdAt: { $gt: new Date(now.getTime() - HOUR_MS) }, ...COUNTED });
}
