import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { dateOf, dayStart } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { isInService, type ServiceStatus } from '../inventory/service.states.ts';
import { type LeastAvailableService, type ServicesSummary, SummaryPeriod } from './analytics.types.ts';
import { formatBytes } from './data-size.ts';

const DAYS: Readonly<Record<SummaryPeriod, number>> = {
  [SummaryPeriod.LAST_7_DAYS]: 7,
  [SummaryPeriod.LAST_30_DAYS]: 30,
  [SummaryPeriod.LAST_90_DAYS]: 90,
};
const LEAST_AVAILABLE = 5;
const UPTIME_DIGITS = 3;

export interface ServicesSummaryDeps {
  rows: Rows;
  principal: Principal;
  clock: Clock;
}

interface Selection {
  /** Accounts whose services are counted. Null for all. */
  accounts: readonly string[] | null;
  from: Date;
  to: Date;
}

/** Counts the services that the caller may see, with their prices, uptime and traffic. */
export class ServicesSummaryReader {
  constructor(private readonly deps: ServicesSummaryDeps) {}

  async read(period: SummaryPeriod, accountId?: string | null): Promise<ServicesSummary> {
    const { principal, clock } = this.deps;
    const to = clock.now();
    const from = dayStart(to, 1 - DAYS[period]);
    const accounts = accountId ? [accountId].filter((id) => principal.sees(id)) : principal.accounts;
    const selection = { accounts, from, to };
    const [counts, uptime, bytes] = await Promise.all([this.#counts(selection), this.#uptime(selection), this.#bytes(selection)]);
    return { period, from, to, ...counts, ...uptime, totalDataTransferredBytes: bytes, totalDataTransferred: formatBytes(bytes) };
  }

  async #counts({ accounts }: Selection) {
    const rows = await this.deps.rows.query<CountRow>(
      `select s."status", c."category", s."currency", count(*)::int as "count", sum(s."monthly_price")::text as "price"
       from "services"."service" s join "services"."catalog_service" c on c."id" = s."catalog_id"
       where s."organization_id" = $1 and ($2::text[] is null or s."account_id" = any($2)) group by 1, 2, 3`,
      [this.deps.principal.organizationId, accounts],
    );
    const total = (by: (row: CountRow) => string, of: CountRow[] = rows): [string, CountRow[]][] =>
      [...Map.groupBy(of, by)].toSorted(([one], [other]) => one.localeCompare(other));
    const count = (found: CountRow[]): number => found.reduce((sum, row) => sum + row.count, 0);
    const billed = rows.filter(({ status }) => isInService(status));
    return {
      totalServices: count(rows),
      byStatus: total(({ status }) => status).map(([status, found]) => ({ status: status as ServiceStatus, count: count(found) })),
      byCategory: total(({ category }) => category).map(([category, found]) => ({ category, count: count(found) })),
      monthlyPrices: total(({ currency }) => currency, billed).map(([currency, found]) => ({
        currency,
        amount: found.reduce((sum, { price }) => sum.plus(price), new Decimal(0)),
      })),
    };
  }

  async #uptime({ accounts, from, to }: Selection): Promise<Pick<ServicesSummary, 'uptimePercentage' | 'leastAvailable'>> {
    const [row] = await this.deps.rows.query<UptimeRow>(UPTIME, [this.deps.principal.organizationId, accounts, from, to]);
    const { up_ms: up, down_ms: down, least } = row ?? { up_ms: 0, down_ms: 0, least: [] };
    const leastAvailable = least.map(
      ([serviceId, name, status, upMs, downMs]): LeastAvailableService => ({
        serviceId,
        name,
        status,
        uptimePercentage: percentage(upMs, downMs),
      }),
    );
    return { uptimePercentage: up + down === 0 ? null : percentage(up, down), leastAvailable };
  }

  async #bytes({ accounts, from }: Selection): Promise<number> {
    const [row] = await this.deps.rows.query<{ bytes: number | null }>(
      `select sum(d."transferred_bytes")::float8 as "bytes" from "services"."service_sample_day" d
       where d."organization_id" = $1 and d."day" >= $3::date and ($2::text[] is null or exists (
         select from "services"."service" s where s."id" = d."service_id" and s."account_id" = any($2)))`,
      [this.deps.principal.organizationId, accounts, dateOf(from)],
    );
    return row?.bytes ?? 0;
  }
}

interface CountRow {
  status: ServiceStatus;
  category: string;
  currency: string;
  count: number;
  price: string;
}

interface UptimeRow {
  up_ms: number;
  down_ms: number;
  /** The services that were down for the largest part of the time in which they were up or down. */
  least: readonly [id: string, name: string, status: ServiceStatus, upMs: number, downMs: number][];
}

const isUp = (column: string): string => `(${column} in ('operational', 'degraded'))::int`;
const isDown = (column: string): string => `(${column} = 'down')::int`;
const seconds = (start: string, end: string): string => `extract(epoch from ${end} - ${start})::float8`;

/**
 * Statement that computes how long each service was up and down in the period, by the rules of `uptimePercentage`. The
 * time before the service was provisioned does not count. It begins with the current status as if the service had had it in
 * the whole period. Each change of the status then corrects the time before the change. So the changes need no order.
 */
const UPTIME = `
  with "counted" as (
    select "id", "name", "status", greatest("provisioned_at", $3) as "since" from "services"."service"
    where "organization_id" = $1 and "provisioned_at" is not null and ($2::text[] is null or "account_id" = any($2))
  ), "corrected" as (
    select s."id",
      sum((${isUp('c."from"')} - ${isUp('c."to"')}) * ${seconds('s."since"', 'greatest(c."created_at", s."since")')}) as "up",
      sum((${isDown('c."from"')} - ${isDown('c."to"')}) * ${seconds('s."since"', 'greatest(c."created_at", s."since")')}) as "down"
    from "services"."service_status_change" c join "counted" s on s."id" = c."service_id"
    where c."organization_id" = $1 and c."created_at" >= $3 and c."from" is not null group by s."id"
  ), "figure" as (
    select s."id", s."name", s."status",
      round((${isUp('s."status"')} * ${seconds('s."since"', '$4')} + coalesce(c."up", 0)) * 1000) as "up",
      round((${isDown('s."status"')} * ${seconds('s."since"', '$4')} + coalesce(c."down", 0)) * 1000) as "down"
    from "counted" s left join "corrected" c on c."id" = s."id"
  ), "least" as (
    select * from "figure" where "down" > 0 order by "up" / ("up" + "down"), "id" limit ${LEAST_AVAILABLE}
  )
  select coalesce(sum("up"), 0)::float8 as "up_ms", coalesce(sum("down"), 0)::float8 as "down_ms",
    coalesce((select json_agg(json_build_array("id", "name", "status", "up", "down") order by "up" / ("up" + "down"), "id") from "least"), '[]') as "least"
  from "figure"`;

const percentage = (up: number, down: number): number => Number(((100 * up) / (up + down)).toFixed(UPTIME_DIGITS));
