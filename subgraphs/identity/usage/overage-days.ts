import { PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/** A day of a month: the plan that held at its end, and what was requested on it. */
export interface UsageDay {
  plan: Plan;
  requests: number;
}

export interface Overage {
  /** What the month includes: of each day's plan its share. */
  included: number;
  /** What went beyond it so far. */
  overage: number;
  /** What no report has told of yet, by the price of the days on which it was requested. */
  unreported: { unitPrice: Decimal; quantity: number }[];
}

/**
 * The overage of a month, by the plan of each of its days; days to come count with the present plan. What is requested on a day whose
 * plan has no price costs nothing and uses up nothing. Overage is what was requested last, so what is to be reported are the last requests.
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
