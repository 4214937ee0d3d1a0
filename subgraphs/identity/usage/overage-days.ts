import { PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/** A day of a month: the plan at its end and the number of requests. */
export interface UsageDay {
  plan: Plan;
  requests: number;
}

export interface Overage {
  /** Requests included in the month: each day contributes the share of its plan. */
  included: number;
  /** Requests beyond those so far. */
  overage: number;
  /** Overage not yet reported, by the price of the days on which the requests were made. */
  unreported: { unitPrice: Decimal; quantity: number }[];
}

/**
 * Computes the overage of a month from the plan of each day; days to come count with the current plan. Requests on days whose plan has no
 * price are free and do not use up the included ones. Overage is made up of the latest requests, so the latest ones are reported.
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
