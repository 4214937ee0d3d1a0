import { expect, test } from 'vitest';
import { BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { periodText } from './billing-period.ts';

test.each([
  [BillingCycle.MONTHLY, 1],
  [BillingCycle.QUARTERLY, 3],
  [BillingCycle.ANNUAL, 12],
] as const)('a %s billing cycle has %i months', (cycle, months) => {
  expect(monthsOf(cycle)).toBe(months);
});

test.each([
  ['2026-01-15', BillingCycle.MONTHLY, '2026-01-15 to 2026-02-14'],
  ['2026-01-31', BillingCycle.MONTHLY, '2026-01-31 to 2026-02-27'],
  ['2028-01-31', BillingCycle.MONTHLY, '2028-01-31 to 2028-02-28'],
  ['2026-11-30', BillingCycle.QUARTERLY, '2026-11-30 to 2027-02-27'],
  ['2028-02-29', BillingCycle.ANNUAL, '2028-02-29 to 2029-02-27'],
] satisfies [string, BillingCycle, string][])('the billing period from %s with %s billing is %s', (start, cycle, period) => {
  expect(periodText(new Date(`${start}T23:59:59.999Z`), cycle)).toBe(period);
});
