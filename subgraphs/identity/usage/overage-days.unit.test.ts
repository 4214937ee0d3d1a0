import { expect, test } from 'vitest';
import { PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import { overageOf, type UsageDay } from './overage-days.ts';

const ROUNDS = 300;

/** Generates pseudo-random numbers, the same numbers in every run. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Creates a month with occasional plan changes. */
function month(next: () => number): UsageDay[] {
  const plans: Plan[] = ['developer', 'business', 'custom'];
  const pick = (): Plan => plans[Math.floor(next() * plans.length)] ?? 'developer';
  let plan = pick();
  return Array.from({ length: 28 + Math.floor(next() * 4) }, () => {
    if (next() < 0.15) plan = pick();
    return { plan, requests: next() < 0.2 ? 0 : Math.floor(next() * 30_000) };
  });
}

/**
 * Computes the cost in thousandths of a cent by counting single requests. Each request after the included requests
 * costs the price of its day's plan.
 */
function costByCounting(days: readonly UsageDay[]): bigint {
  let share = 0;
  for (const { plan } of days) if (plan !== 'custom') share += plan === 'developer' ? 50_000 : 500_000;
  const included = Math.floor(share / days.length);
  let [seen, cost] = [0, 0n];
  for (const { plan, requests } of days)
    for (let request = 0; plan !== 'custom' && request < requests; request += 1) {
      seen += 1;
      if (seen > included) cost += plan === 'developer' ? 100n : 80n;
    }
  return cost;
}

const costOf = (days: readonly UsageDay[], reported = 0): bigint =>
  overageOf(days, reported).unreported.reduce((sum, { unitPrice, quantity }) => {
    const price = unitPrice === PLANS.developer.overagePrice ? 100n : 80n;
    return sum + price * BigInt(quantity);
  }, 0n);

test('in months with random plan changes, overageOf charges the same as if each request was priced separately', () => {
  const numbers = random(13);
  const next = (): number => numbers.next().value;
  let paid = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const days = month(next);
    const cost = costByCounting(days);
    if (cost > 0n) paid += 1;
    expect(costOf(days), `round ${round}`).toBe(cost);
  }
  expect(paid).toBeGreaterThan(ROUNDS / 10);
});

test('daily overage reports of an unchanged plan cost the same in total as one report at the end of the month', () => {
  const numbers = random(7);
  for (let round = 0; round < 50; round += 1) {
    const days = Array.from({ length: 30 }, (): UsageDay => ({ plan: 'developer', requests: Math.floor(numbers.next().value * 5_000) }));
    let [reported, cost] = [0, 0n];
    for (let until = 1; until <= days.length; until += 1) {
      const soFar = days.map((day, index) => (index < until ? day : { ...day, requests: 0 }));
      cost += costOf(soFar, reported);
      reported = Math.max(reported, overageOf(soFar, reported).overage);
    }
    expect(cost).toBe(costByCounting(days));
  }
});

test('included requests are weighted by the days of each plan, and overage that was already reported is not refunded', () => {
  const days = Array.from({ length: 30 }, (_, index): UsageDay => ({ plan: index < 15 ? 'developer' : 'business', requests: 0 }));
  expect(overageOf(days, 0)).toMatchObject({ included: (50_000 + 500_000) / 2, overage: 0, unreported: [] });
  expect(overageOf(days, 10)).toMatchObject({ overage: 0, unreported: [] });
});
