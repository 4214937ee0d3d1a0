import type { Principal } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { describeTrend, type Trend, TrendStep } from '../../../kernel/statistics/trend.types.ts';
import { monthNameOf } from '../../../kernel/values/days.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { breakdownOf, type CostService } from '../costs/cost.service.ts';
import { readCosts, readHighestCosts } from '../costs/cost.store.ts';
import type { CostPoint } from '../costs/cost.types.ts';
import { addMonths, monthsBetween } from '../costs/months.ts';
import type { CostAnalytics } from './cost-analytics.types.ts';

const SERVICES_MAX = 50;
/** Number of months of which a trend is computed. */
const TREND_MONTHS = 12;
/** More points than the months of a period can have, in all categories and currencies. */
const POINTS_MAX = 10_000;

export interface CostAnalyticsDeps {
  rows: Rows;
  principal: Principal;
  clock: Clock;
  costs: CostService;
}

/** Adds the costs of services to an analysis (specification 4.6). They are the same as in the cost analysis of billing. */
export class CostAnalyticsService {
  constructor(private readonly deps: CostAnalyticsDeps) {}

  async read(range: AnalyticsRange): Promise<CostAnalytics> {
    const { rows, costs } = this.deps;
    const { accountId, serviceIds, period } = range;
    const analysis = await costs.analyse(accountId, null, serviceIds);
    const [from, to] = [period.firstDay.slice(0, 7), period.lastDay.slice(0, 7)];
    const count = monthsBetween(from, to);
    const query = { ...this.#scope(range), currency: analysis.currency };
    const [points, byService] = await Promise.all([
      readCosts(rows, { ...query, from: addMonths(from, -count), to, step: 'month', by: { category: true }, limit: POINTS_MAX }),
      readHighestCosts(rows, { ...query, from, to, limit: SERVICES_MAX }),
    ]);
    const now = points.filter(({ month }) => month >= from);
    const months = monthlyOf(now);
    return {
      ...analysis,
      ...{ fromMonth: from, toMonth: to, total: totalOf(now), totalBefore: totalOf(points.filter(({ month }) => month < from)) },
      byCategory: breakdownOf(now),
      byMonth: monthsFrom(from, count).map((month) => ({ month, amount: months.get(month) ?? new Decimal(0) })),
      byService,
    };
  }

  /** Returns the costs of the last twelve months that have ended. */
  async trend(range: AnalyticsRange): Promise<Trend> {
    const { rows, costs, clock } = this.deps;
    const { currency } = await costs.analyse(range.accountId, null, range.serviceIds);
    const [asked, ended] = [range.period.lastDay.slice(0, 7), addMonths(monthNameOf(clock.now()), -1)];
    const to = asked < ended ? asked : ended;
    const from = addMonths(to, 1 - TREND_MONTHS);
    const start = addMonths(from, -TREND_MONTHS);
    const points = await readCosts(rows, { ...this.#scope(range), currency, from: start, to, step: 'month', by: {}, limit: POINTS_MAX });
    const months = monthlyOf(points);
    const first = points[0]?.month;
    // a month before the first costs has none; a later month without costs cost nothing
    const values = monthsFrom(start, 2 * TREND_MONTHS).map((date) => ({
      date,
      value: first === undefined || date < first ? null : (months.get(date)?.toNumber() ?? 0),
    }));
    return describeTrend({
      ...{ name: 'cost', unit: currency, step: TrendStep.MONTH },
      ...{ values: values.slice(TREND_MONTHS), before: values.slice(0, TREND_MONTHS) },
    });
  }

  #scope(range: AnalyticsRange) {
    const { principal } = this.deps;
    const { serviceIds } = range;
    return { organizationId: principal.organizationId, accounts: analyzedAccounts(range, principal), serviceIds };
  }
}

const monthsFrom = (first: string, count: number): string[] => Array.from({ length: count }, (_, index) => addMonths(first, index));
const totalOf = (points: readonly CostPoint[]): Decimal => sum(points.map(({ amount }) => amount));
const monthlyOf = (points: readonly CostPoint[]): Map<string, Decimal> =>
  new Map([...Map.groupBy(points, ({ month }) => month)].map(([month, group]) => [month, totalOf(group)]));
