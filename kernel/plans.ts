import { Decimal } from './money.ts';
import type { Plan } from './principal.ts';

/** What a plan allows (specification 8.1). `Infinity`, and null where something is priced, stand for no limit. */
export interface PlanTerms {
  readonly perHour: number;
  /** In any 60 seconds. */
  readonly burst: number;
  /** Requests that are served at a time. */
  readonly concurrent: number;
  readonly includedPerMonth: number;
  /** Of each request beyond those; null where the contract says it. */
  readonly overagePrice: Decimal | null;
}

/** The currency of `overagePrice`. */
export const PLAN_CURRENCY = 'USD';

const UNLIMITED = Number.POSITIVE_INFINITY;

export const PLANS: Readonly<Record<Plan, PlanTerms>> = {
  developer: { perHour: 1_000, burst: 100, concurrent: 10, includedPerMonth: 50_000, overagePrice: new Decimal('0.001') },
  business: { perHour: 10_000, burst: 500, concurrent: 50, includedPerMonth: 500_000, overagePrice: new Decimal('0.0008') },
  enterprise: { perHour: 100_000, burst: 2_000, concurrent: 200, includedPerMonth: 5_000_000, overagePrice: new Decimal('0.0005') },
  custom: { perHour: UNLIMITED, burst: UNLIMITED, concurrent: UNLIMITED, includedPerMonth: UNLIMITED, overagePrice: null },
};
