import { localDay } from '../calculation/billing-periods.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { ItemState } from './subscription.states.ts';
import type { SubscriptionCharge } from './subscription-charge.entity.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/** The earliest local day on which a subscription has something to bill. One invoice contains everything that is due on this day. */
export interface DueDay {
  /** Items by state: `planned` items take over a service, `active` items begin their next period, and `ended` items have late usage. */
  items: Partial<Record<ItemState, SubscriptionItem[]>>;
  /** Returns true if the invoice of the day contains this pending charge: a price change, or a period that begins on the day. */
  hasCharge(charge: SubscriptionCharge): boolean;
}

export function dueDayOf(items: readonly SubscriptionItem[], pending: readonly SubscriptionCharge[], zone: string): DueDay {
  const starts = [
    ...items.flatMap(({ dueAt }) => dueAt?.getTime() ?? []),
    ...pending.filter(({ kind }) => kind === LineKind.RECURRING).map(({ fromAt }) => fromAt.getTime()),
  ];
  const day = localDay(new Date(Math.min(...starts)), zone);
  const isDue = (time: Date | null): boolean => time !== null && localDay(time, zone) <= day;
  return {
    items: Object.groupBy(
      items.filter(({ dueAt }) => isDue(dueAt)),
      ({ state }) => state,
    ),
    hasCharge: ({ kind, fromAt }) => kind === LineKind.PRORATION || isDue(fromAt),
  };
}
