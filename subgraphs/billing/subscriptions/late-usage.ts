import { DAY_MS } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { MAX_AGE_DAYS } from '../usage/usage-event.rules.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/** Returns the start of the local day from which no usage of an ended item is accepted any more. */
const lastLateUsage = ({ endedAt }: SubscriptionItem, zone: string): Date =>
  startOfDay(localDay(new Date((endedAt as Date).getTime() + (MAX_AGE_DAYS + 1) * DAY_MS), zone), zone);

/**
 * Schedules the billing of usage that arrives after the service of an item has ended. The recurring run bills it at `nextPeriod`, when the
 * next period would have begun, and on the day after which no usage is accepted.
 */
export function awaitLateUsage(item: SubscriptionItem, nextPeriod: Date, zone: string): void {
  item.lateUsageDueAt = new Date(Math.min(nextPeriod.getTime(), lastLateUsage(item, zone).getTime()));
}

/** Returns the time until which the late usage of an ended item is billed now, and schedules the next billing. */
export function takeLateUsage(item: SubscriptionItem, zone: string): Date {
  const due = item.lateUsageDueAt as Date;
  const last = lastLateUsage(item, zone);
  item.lateUsageDueAt = due < last ? last : null;
  return due;
}
