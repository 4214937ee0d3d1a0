import { Decimal, sum } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';
import { exactAmount } from '../calculation/rating.ts';
import type { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import { modelOf, type UsagePrice } from '../usage-prices/usage-price.entity.ts';
import type { UsagePriceBook } from '../usage-prices/usage-price-book.ts';
import { monthPeriod } from './usage-period.ts';
import type { UsedMonth } from './usage-report.store.ts';

/** The usage of one service in one metric, and its exact cost in each month. */
export interface MetricUsage {
  serviceId: string;
  metric: UsageMetric;
  currency: string;
  quantity: Decimal;
  months: readonly { month: string; quantity: Decimal; cost: Decimal }[];
  /** Price in the last month. Null if no price applies. */
  price: UsagePrice | null;
}

/** Computes the cost of usage in each month. `used` must be sorted by service and metric; the result has the same order. */
export function metricUsages(used: readonly UsedMonth[], book: UsagePriceBook, zone: string): MetricUsage[] {
  const periods = new Map<string, Period>();
  const periodOf = (month: string): Period => {
    const period = periods.get(month) ?? monthPeriod(month, zone);
    periods.set(month, period);
    return period;
  };
  const groups = Map.groupBy(used, ({ serviceId, metric }) => `${serviceId} ${metric}`);
  return [...groups.values()].map((months) => {
    const priced = months.map((one) => ({
      ...one,
      price: one.amount ? null : book.priceOf(one, one.metric, one.currency, periodOf(one.month)),
    }));
    const [{ serviceId, metric, currency }] = months as [UsedMonth];
    return {
      ...{ serviceId, metric, currency, quantity: sum(months.map(({ quantity }) => quantity)) },
      months: priced.map(({ month, quantity, amount, price }) => ({
        ...{ month, quantity, cost: amount ?? (price ? exactCost(price, quantity) : new Decimal(0)) },
      })),
      price: priced.at(-1)?.price ?? null,
    };
  });
}

const exactCost = (price: UsagePrice, quantity: Decimal): Decimal =>
  exactAmount({ quantity, included: price.included, price: modelOf(price) });

/** Returns the exact cost of the usage in all months, or in one month. */
export const costOf = ({ months }: MetricUsage, only?: string): Decimal =>
  sum(months.filter(({ month }) => !only || month === only).map(({ cost }) => cost));

/** Returns the exact cost of several usages with the same currency, in all months or in one month. */
export const totalOf = (usages: readonly MetricUsage[], only?: string): Decimal => sum(usages.map((usage) => costOf(usage, only)));
