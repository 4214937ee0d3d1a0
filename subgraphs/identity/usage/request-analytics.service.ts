import type { Principal } from '../../../kernel/access/principal.ts';
import type { AnalyticsRange } from '../../../kernel/analytics/analytics-scope.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { datesBetween } from '../../../kernel/values/days.ts';
import { dayStarts } from '../../../kernel/values/local-time.ts';
import type { Period } from '../../../kernel/values/period.ts';
import type { ApiRequestAnalytics, ApiRequestFigures, ApiRequestsOfDay } from './request-analytics.types.ts';
import { HOURS_KEPT_MS } from './usage.retention.ts';

export interface RequestAnalyticsDeps {
  rows: Rows;
  principal: Principal;
  clock: Clock;
}

interface DayRow {
  day: number;
  requests: string;
  weight: string;
}

/** Adds the API requests of the organization to an analysis (specification 4.6). They are the counters of its usage report. */
export class RequestAnalyticsService {
  constructor(private readonly deps: RequestAnalyticsDeps) {}

  /**
   * Returns the API requests of a period. Requests belong to the organization, so an analysis of accounts or services has none. Returns
   * null for it, and for a period whose hours are not kept any more.
   */
  async read({ period, before, timezone, accountId, serviceIds }: AnalyticsRange): Promise<ApiRequestAnalytics | null> {
    const { principal } = this.deps;
    if (principal.accounts !== null || accountId !== null || serviceIds !== null || !this.#isKept(period)) return null;
    const [byDay, earlier] = await Promise.all([
      this.#days(period, timezone),
      this.#isKept(before) ? this.#days(before, timezone) : Promise.resolve(null),
    ]);
    return { ...sumOf(byDay), before: earlier && sumOf(earlier), byDay };
  }

  #isKept({ start }: Period): boolean {
    return start.getTime() >= this.deps.clock.now().getTime() - HOURS_KEPT_MS;
  }

  async #days({ firstDay, lastDay }: Period, timezone: string): Promise<ApiRequestsOfDay[]> {
    const { rows, principal } = this.deps;
    const dates = datesBetween(firstDay, lastDay);
    const starts = dayStarts(dates, timezone);
    const found = await rows.query<DayRow>(
      `select width_bucket("hour", $2::timestamptz[]) - 1 as "day", sum("requests")::text as "requests", sum("weight")::text as "weight"
       from "identity"."usage_hour_counter" where "organization_id" = $1 and "hour" >= $3 and "hour" < $4 group by 1`,
      [principal.organizationId, starts, starts[0], starts.at(-1)],
    );
    const days = new Map(found.map((row) => [row.day, row]));
    return dates.map((date, index) => {
      const { requests, weight } = days.get(index) ?? { requests: '0', weight: '0' };
      return { date, requests: Number(requests), weightedRequests: Number(weight) };
    });
  }
}

function sumOf(days: readonly ApiRequestFigures[]): ApiRequestFigures {
  const sums = { requests: 0, weightedRequests: 0 };
  for (const { requests, weightedRequests } of days) {
    sums.requests += requests;
    sums.weightedRequests += weightedRequests;
  }
  return sums;
}
