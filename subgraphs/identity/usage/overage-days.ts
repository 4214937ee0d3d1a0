import { PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/** A day of a month: the plan at the end of the day and the number of requests. */
export interface UsageDay {
  plan: Plan;
  requests: number;
}

export interface Overage {
  /**
   * Number of requests that are included in the month. Each day adds the monthly number of its plan, divided by the
   * days of the month.
   */
  included: number;
  /** Number of requests in the month that exceed `included`. */
  overage: number;
  /** Overage that is not yet reported to billing, by price. The price of a request depends on the plan of its day. */
  unreported: { unitPrice: Decimal; quantity: number }[];
}

/**
 * Computes the overage of a month from the plan of each day. Future days have the current plan. If the plan of a day
 * has no price, its requests are free and do not use up the included requests. The latest requests of the month count
 * as overage.
 */
export function overageOf(days: readonly UsageDay[], reported: number): Overage {
  const priced = days.flatMap(({ plan, requests }) => {
    const { overagePrice: unitPrice, includedPerMonth } = PLANS[plan];
    return unitPrice ? [{ unitPrice, requests, includedPerMonth }] : [];
  });
  const included = Math.floor(priced.reduce((sum, day) => sum + day.includedPerMonth, 0) / days.length);
  const requests = priced.reduce((sum, day) => sum + day.requests, 0);
  const overage = Math.max(0, requests - included);
  const byPrice = new Map<Decimal, number>();
  let left = overage - reported;
  for (const day of priced.toReversed()) {
    const quantity = Math.min(left, day.requests);
    if (quantity <= 0) continue;
    byPrice.set(day.unitPrice, (byPrice.get(day.unitPrice) ?? 0) + quantity);
    left -= quantity;
  }
  return { included, overage, unreported: [...byPrice].map(([unitPrice, quantity]) => ({ unitPrice, quantity })) };
}
