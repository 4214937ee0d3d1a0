import type { Principal } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { describeTrend, type Trend, TrendStep } from '../../../kernel/statistics/trend.types.ts';
import { datesBetween } from '../../../kernel/values/days.ts';
import { dayStarts } from '../../../kernel/values/local-time.ts';
import type { AvailabilityAnalytics } from './availability.types.ts';
import { readUptime, uptimeByDay, uptimePercent } from './uptime.store.ts';

const SERVICES_MAX = 50;

/** Adds the availability of services to an analysis (specification 4.6). It is computed from the history of their status. */
export class AvailabilityService {
  constructor(private readonly deps: { rows: Rows; principal: Principal }) {}

  async read(range: AnalyticsRange): Promise<AvailabilityAnalytics> {
    const { rows } = this.deps;
    const { period, before } = range;
    const scope = this.#scope(range);
    const [now, earlier] = await Promise.all([
      readUptime(rows, { ...scope, from: period.start, to: period.end }, { limit: SERVICES_MAX, withAvailable: true }),
      readUptime(rows, { ...scope, from: before.start, to: before.end }, { limit: 0 }),
    ]);
    return {
      uptimePercentage: uptimePercent(now.upMs, now.downMs),
      uptimePercentageBefore: uptimePercent(earlier.upMs, earlier.downMs),
      downtimeSeconds: seconds(now.downMs),
      serviceCount: now.services,
      services: now.least.map(({ upMs, downMs, ...service }) => ({
        ...service,
        uptimePercentage: uptimePercent(upMs, downMs) ?? 0,
        downtimeSeconds: seconds(downMs),
      })),
    };
  }

  async trend(range: AnalyticsRange): Promise<Trend> {
    const { period, before, lastWholeDay } = range;
    const daily = async (first: string, last: string) => {
      const days = datesBetween(first, last);
      if (days.length === 0) return [];
      const found = await uptimeByDay(this.deps.rows, this.#scope(range), dayStarts(days, range.timezone));
      return days.map((date, index) => ({ date, value: uptimePercent(found[index]?.upMs ?? 0, found[index]?.downMs ?? 0) }));
    };
    const [values, earlier] = await Promise.all([daily(period.firstDay, lastWholeDay), daily(before.firstDay, before.lastDay)]);
    const bounds = { low: 0, high: 100 };
    return describeTrend({ name: 'availability', unit: '%', step: TrendStep.DAY, values, before: earlier, bounds });
  }

  #scope(range: AnalyticsRange) {
    const { principal } = this.deps;
    return {
      organizationId: principal.organizationId,
      accounts: analyzedAccounts(range, principal),
      serviceIds: range.serviceIds,
    };
  }
}

const seconds = (ms: number): number => Math.round(ms / 1000);
