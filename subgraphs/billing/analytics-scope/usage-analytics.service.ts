import type { Principal } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { describeTrend, type Trend, TrendStep } from '../../../kernel/statistics/trend.types.ts';
import { datesBetween } from '../../../kernel/values/days.ts';
import { type Decimal, sum } from '../../../kernel/values/money.ts';
import { type UsageSelection, usedMonths, usedPerDay } from '../usage/usage-report.store.ts';
import { totalUsageOf } from '../usage/usage-totals.ts';
import { METRICS, type UsageMetric, unitOf } from '../usage-prices/usage-metric.states.ts';
import type { UsageAnalytics } from './usage-analytics.types.ts';

const SERVICES_MAX = 50;

/** Adds the usage of services to an analysis (specification 4.6). It is the same as in the usage report. */
export class UsageAnalyticsService {
  constructor(private readonly deps: { rows: Rows; principal: Principal }) {}

  async read(range: AnalyticsRange): Promise<UsageAnalytics> {
    const { rows } = this.deps;
    const { firstDay, lastDay } = range.period;
    const selection = this.#selection(range, range.period);
    const [months, before, perDay] = await Promise.all([
      usedMonths(rows, selection),
      usedMonths(rows, this.#selection(range, range.before)),
      usedPerDay(rows, selection),
    ]);
    const days = Map.groupBy(perDay, ({ date }) => date);
    const services = summed(months, ({ serviceId }) => serviceId);
    return {
      totalUsage: totalUsageOf(months),
      totalUsageBefore: totalUsageOf(before),
      byDay: datesBetween(firstDay, lastDay).map((date) => ({
        date,
        ...totalUsageOf((days.get(date) ?? []).map(({ metric, usage: quantity }) => ({ metric, quantity }))),
      })),
      byType: summed(months, ({ type }) => type)
        .map(({ key: type, ...usage }) => ({ type, ...usage }))
        .toSorted((one, other) => one.type.localeCompare(other.type) || one.metric.localeCompare(other.metric)),
      services: services
        .toSorted((one, other) => one.metric.localeCompare(other.metric) || other.usage.cmp(one.usage) || one.key.localeCompare(other.key))
        .slice(0, SERVICES_MAX)
        .map(({ key: serviceId, ...usage }) => ({ serviceId, ...usage })),
      servicesTotal: services.length,
    };
  }

  /** Returns the daily usage of each metric that was used. */
  async trends(range: AnalyticsRange): Promise<Trend[]> {
    const { period, before, lastWholeDay } = range;
    const { rows } = this.deps;
    const [now, earlier] = await Promise.all([
      usedPerDay(rows, this.#selection(range, period)),
      usedPerDay(rows, this.#selection(range, before)),
    ]);
    return METRICS.filter((metric) => [...now, ...earlier].some((one) => one.metric === metric)).map((metric) => {
      const daily = (used: typeof now, first: string, last: string) => {
        const days = new Map(used.filter((one) => one.metric === metric).map(({ date, usage }) => [date, usage.toNumber()]));
        return datesBetween(first, last).map((date) => ({ date, value: days.get(date) ?? 0 }));
      };
      return describeTrend({
        ...{ name: metric, unit: unitOf(metric), step: TrendStep.DAY, bounds: { low: 0 } },
        values: daily(now, period.firstDay, lastWholeDay),
        before: daily(earlier, before.firstDay, before.lastDay),
      });
    });
  }

  #selection(range: AnalyticsRange, { firstDay, lastDay }: { firstDay: string; lastDay: string }): UsageSelection {
    const { principal } = this.deps;
    const { serviceIds } = range;
    const selection = { organizationId: principal.organizationId, accounts: analyzedAccounts(range, principal), firstDay, lastDay };
    return serviceIds ? { ...selection, serviceIds } : selection;
  }
}

interface Summed {
  key: string;
  metric: UsageMetric;
  usage: Decimal;
  unit: string;
}

/** Adds the quantities of months for each metric and key. */
function summed<M extends { metric: UsageMetric; quantity: Decimal }>(months: readonly M[], keyOf: (month: M) => string): Summed[] {
  return [...Map.groupBy(months, (month) => `${month.metric} ${keyOf(month)}`).values()].map((group) => {
    const [first] = group as [M, ...M[]];
    return { key: keyOf(first), metric: first.metric, usage: sum(group.map(({ quantity }) => quantity)), unit: unitOf(first.metric) };
  });
}
