import type { Principal } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { describeTrend, type Trend, TrendStep } from '../../../kernel/statistics/trend.types.ts';
import { datesBetween } from '../../../kernel/values/days.ts';
import type { Period } from '../../../kernel/values/period.ts';
import { averageResolutionHours, type Cell, customerSatisfaction, escalationRate, Figures, slaCompliance, sumOf } from './figures.ts';
import type { TicketAnalytics, TicketFigures } from './ticket-analytics.types.ts';

/** Adds figures about tickets to an analysis (specification 4.6). They are the same as those of the support dashboard. */
export class TicketAnalyticsService {
  constructor(private readonly deps: { rows: Rows; principal: Principal }) {}

  async read(range: AnalyticsRange): Promise<TicketAnalytics> {
    const [now, before] = await Promise.all([this.#cells(range, range.period), this.#cells(range, range.before)]);
    return { ...figuresOf(now), before: figuresOf(before) };
  }

  async trend(range: AnalyticsRange): Promise<Trend> {
    const { period, before, lastWholeDay } = range;
    const [now, earlier] = await Promise.all([this.#cells(range, period), this.#cells(range, before)]);
    const daily = (cells: readonly Cell[], first: string, last: string) => {
      const days = Map.groupBy(cells, ({ day }) => day);
      return datesBetween(first, last).map((date) => ({ date, value: sumOf(days.get(date) ?? []).opened }));
    };
    const values = daily(now, period.firstDay, lastWholeDay);
    const earlierValues = daily(earlier, before.firstDay, before.lastDay);
    return describeTrend({ name: 'tickets', unit: null, step: TrendStep.DAY, values, before: earlierValues, bounds: { low: 0 } });
  }

  async #cells(range: AnalyticsRange, { start, end }: Period): Promise<Cell[]> {
    const { rows, principal } = this.deps;
    // an empty list would select the tickets about all services
    if (range.serviceIds?.length === 0) return [];
    const scope = { organizationId: principal.organizationId, accounts: analyzedAccounts(range, principal) };
    return new Figures(rows, scope).cells({ start, end, timezone: range.timezone, serviceIds: range.serviceIds ?? [] });
  }
}

function figuresOf(cells: readonly Cell[]): TicketFigures {
  const sums = sumOf(cells);
  return {
    opened: sums.opened,
    resolved: sums.resolved,
    averageResolutionHours: averageResolutionHours(sums),
    slaCompliance: slaCompliance(sums),
    escalationRate: escalationRate(sums),
    customerSatisfaction: customerSatisfaction(sums),
  };
}
