import { PLAN_CURRENCY, PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { dateOf, HOUR_MS, hourStart, monthStart } from '../../../kernel/values/days.ts';
import type { CallerLimits, RateLimits } from './rate-limits.ts';
import type { MonthlyUsage, RateLimitCurrentUsage, RateLimitHour, RateLimitUsage } from './usage.types.ts';
import { projectionOf } from './usage-projection.ts';

const HISTORY_HOURS = 24;

interface HourRow {
  hour: string;
  weight: string;
}

interface OrganizationRow {
  requests: string | null;
  under_review_since: string | null;
}

/** Returns the usage of a caller's limits (specification 8.6). */
export class UsageService {
  constructor(
    private readonly rows: Rows,
    private readonly request: RequestContext,
    private readonly limits: RateLimits,
  ) {}

  async own(): Promise<RateLimitUsage> {
    const { plan } = this.request.principal;
    const limits = await this.limits.limitsOf(this.request);
    const organization = await this.#organization(limits.at);
    return {
      currentUsage: currentUsage(limits),
      usageHistory: await this.#history(limits.at, plan),
      projectedUsage: projectionOf(limits),
      categories: Object.entries(limits.categories).map(([category, { used, limit, resetAt }]) => ({
        category,
        used,
        limit: shown(limit),
        resetAt,
      })),
      concurrency: { ...limits.concurrency, limit: shown(limits.concurrency.limit) },
      month: monthlyUsage(Number(organization?.requests ?? 0), plan, limits.at),
      suspendedUntil: limits.suspendedUntil,
      underReviewSince: organization?.under_review_since ? new Date(organization.under_review_since) : null,
    };
  }

  async #organization(at: Date): Promise<OrganizationRow | undefined> {
    const [row] = await this.rows.query<OrganizationRow>(
      `select m."requests", o."under_review_since" from "identity"."organization" o
       left join "identity"."usage_month_counter" m on m."organization_id" = o."id" and m."month" = $2 where o."id" = $1`,
      [this.request.principal.organizationId, dateOf(monthStart(at))],
    );
    return row;
  }

  /**
   * Returns one entry per hour. Hours without requests have no row in the database, so entries with zero requests are
   * added.
   */
  async #history(at: Date, plan: Plan): Promise<RateLimitHour[]> {
    const first = hourStart(at).getTime() - (HISTORY_HOURS - 1) * HOUR_MS;
    const rows = await this.rows.query<HourRow>(
      `select "hour", "weight" from "identity"."usage_hour_counter" where "organization_id" = $1 and "hour" >= $2 and "hour" <= $3`,
      [this.request.principal.organizationId, new Date(first), at],
    );
    const used = new Map(rows.map(({ hour, weight }) => [new Date(hour).getTime(), Number(weight)]));
    const { perHour } = PLANS[plan];
    return Array.from({ length: HISTORY_HOURS }, (_, index) => {
      const hour = new Date(first + index * HOUR_MS);
      const requests = used.get(hour.getTime()) ?? 0;
      return { hour, requests, percentage: Number.isFinite(perHour) ? Math.round((requests / perHour) * 10_000) / 100 : null };
    });
  }
}

const currentUsage = ({ hour, burst }: CallerLimits): RateLimitCurrentUsage => ({
  requestsThisHour: hour.used,
  hourlyLimit: shown(hour.limit),
  hourResetAt: hour.resetAt,
  burstUsed: burst.used,
  burstLimit: shown(burst.limit),
  burstResetAt: burst.resetAt,
});

function monthlyUsage(requests: number, plan: Plan, at: Date): MonthlyUsage {
  const { includedPerMonth, overagePrice } = PLANS[plan];
  const periodStart = monthStart(at);
  return {
    periodStart,
    periodEnd: monthStart(periodStart, 1),
    requests,
    included: shown(includedPerMonth),
    overage: Math.max(0, requests - includedPerMonth),
    overagePrice,
    currency: PLAN_CURRENCY,
  };
}

/** Returns null for an infinite limit, otherwise the limit. */
const shown = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);
