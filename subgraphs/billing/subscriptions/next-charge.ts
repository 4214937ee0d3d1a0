import { newId } from '../../../kernel/records/ids.ts';
import { monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { nextPeriod } from './next-period.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/** Terms that determine the start of periods. Periods start at midnight in the time zone `zone`. */
export interface PeriodTerms {
  zone: string;
  /** Day of the month on which all periods start. Null: each service has its own day. */
  billingDay: number | null;
}

/** Advances an item by one period, and returns the charge for this period. The charge is pending until an invoice contains it. */
export function nextCharge(item: SubscriptionItem, { zone, billingDay }: PeriodTerms, now: Date): SubscriptionCharge {
  const { period, from, anchor, months } = nextPeriod(item, zone, billingDay);
  Object.assign(item, { anchor, months, periodStart: from, billedUntil: period.end });
  const { id: itemId, organizationId, accountId, subscriptionId, price, pricedAt, billingCycle } = item;
  const charge = Object.assign(new SubscriptionCharge(), { id: newId('subscriptionCharge'), organizationId, accountId, subscriptionId });
  Object.assign(charge, { itemId, kind: LineKind.RECURRING, price, pricedAt, months: monthsOf(billingCycle), timezone: zone });
  return Object.assign(charge, { periodStart: period.start, periodEnd: period.end, fromAt: from, toAt: period.end, createdAt: now });
}
