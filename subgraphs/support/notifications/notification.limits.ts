import type { EntityManager } from '../../../kernel/database.ts';
import type { Plan } from '../../../kernel/principal.ts';
import { NotificationLimitReached } from './notification.errors.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';

/** Recipients within an hour, so that a stolen key is no mailing list. */
const PER_HOUR: Readonly<Record<Plan, number>> = {
  developer: 100,
  business: 1_000,
  enterprise: 10_000,
  custom: Number.POSITIVE_INFINITY,
};
const HOUR_MS = 3_600_000;

/** How many more recipients an organization may have now. Until the transaction ends nobody else of it counts. */
export async function allowanceOf(
  tx: EntityManager,
  organizationId: string,
  plan: Plan,
  now: Date,
): Promise<{ limit: number; used: number }> {
  const limit = PER_HOUR[plan];
  if (limit === Number.POSITIVE_INFINITY) return { limit, used: 0 };
  const key = `support.notifications:${organizationId}`;
  await tx.getConnection().execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key], 'run', tx.getTransactionContext());
  const used = await tx.count(NotificationRecipient, { createdAt: { $gt: new Date(now.getTime() - HOUR_MS) } });
  return { limit, used };
}

/** @throws NotificationLimitReached where so many more are too many. */
export async function checkAllowance(tx: EntityManager, organizationId: string, plan: Plan, now: Date, more: number): Promise<void> {
  const { limit, used } = await allowanceOf(tx, organizationId, plan, now);
  if (used + more > limit) throw new NotificationLimitReached(limit, used);
}
