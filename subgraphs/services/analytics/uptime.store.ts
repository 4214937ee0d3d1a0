import type { Rows } from '../../../kernel/database/database.ts';
import type { ServiceStatus } from '../inventory/service.states.ts';

const UPTIME_DIGITS = 3;

/** Services whose uptime is read, and the period. */
export interface UptimeSelection {
  organizationId: string;
  /** Accounts whose services are counted. Null for all. */
  accounts: readonly string[] | null;
  /** Only these services. Null for all. */
  serviceIds: readonly string[] | null;
  from: Date;
  to: Date;
}

/** Time that a service was up and down, in milliseconds. */
export interface ServiceUptime {
  serviceId: string;
  name: string;
  status: ServiceStatus;
  upMs: number;
  downMs: number;
}

/** Time that services were up and down together, in milliseconds. */
export interface Uptime {
  upMs: number;
  downMs: number;
  /** Number of services that were up or down. */
  services: number;
  /** The services that were down for the largest part of the time in which they were up or down. */
  least: ServiceUptime[];
}

interface UptimeRow {
  up_ms: number;
  down_ms: number;
  services: number;
  least: readonly [id: string, name: string, status: ServiceStatus, upMs: number, downMs: number][];
}

/** Reads the uptime of services. `least` has at most `limit` services, and by default only those that were down. */
export async function readUptime(
  rows: Rows,
  { organizationId, accounts, serviceIds, from, to }: UptimeSelection,
  { limit, withAvailable = false }: { limit: number; withAvailable?: boolean },
): Promise<Uptime> {
  const [row] = await rows.query<UptimeRow>(UPTIME, [organizationId, accounts, from, to, serviceIds, limit, withAvailable]);
  const { up_ms: upMs, down_ms: downMs, services, least } = row ?? { up_ms: 0, down_ms: 0, services: 0, least: [] };
  return {
    upMs,
    downMs,
    services,
    least: least.map(([serviceId, name, status, up, down]) => ({ serviceId, name, status, upMs: up, downMs: down })),
  };
}

/** Returns how long services were up and down on each day. `starts` has the start of each day, and the end of the last one. */
export async function uptimeByDay(
  rows: Rows,
  { organizationId, accounts, serviceIds }: Omit<UptimeSelection, 'from' | 'to'>,
  starts: readonly Date[],
): Promise<{ upMs: number; downMs: number }[]> {
  const found = await rows.query<{ up_ms: number; down_ms: number }>(BY_DAY, [
    organizationId,
    accounts,
    serviceIds,
    starts.slice(0, -1),
    starts.slice(1),
  ]);
  return found.map(({ up_ms: upMs, down_ms: downMs }) => ({ upMs, downMs }));
}

/** Returns the percentage of the time in which services were up. Null if they were neither up nor down. */
export const uptimePercent = (upMs: number, downMs: number): number | null =>
  upMs + downMs === 0 ? null : Number(((100 * upMs) / (upMs + downMs)).toFixed(UPTIME_DIGITS));

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
    where "organization_id" = $1 and "provisioned_at" < $4 and ($2::text[] is null or "account_id" = any($2))
      and ($5::text[] is null or "id" = any($5))
  ), "corrected" as (
    select s."id",
      sum((${isUp('c."from"')} - ${isUp('c."to"')}) * ${seconds('s."since"', 'least(greatest(c."created_at", s."since"), $4::timestamptz)')}) as "up",
      sum((${isDown('c."from"')} - ${isDown('c."to"')}) * ${seconds('s."since"', 'least(greatest(c."created_at", s."since"), $4::timestamptz)')}) as "down"
    from "services"."service_status_change" c join "counted" s on s."id" = c."service_id"
    where c."organization_id" = $1 and c."created_at" >= $3 and c."from" is not null group by s."id"
  ), "figure" as (
    select s."id", s."name", s."status",
      round((${isUp('s."status"')} * ${seconds('s."since"', '$4')} + coalesce(c."up", 0)) * 1000) as "up",
      round((${isDown('s."status"')} * ${seconds('s."since"', '$4')} + coalesce(c."down", 0)) * 1000) as "down"
    from "counted" s left join "corrected" c on c."id" = s."id"
  ), "least" as (
    select * from "figure" where "down" > 0 or ($7 and "up" > 0) order by "up" / ("up" + "down"), "id" limit $6
  )
  select coalesce(sum("up"), 0)::float8 as "up_ms", coalesce(sum("down"), 0)::float8 as "down_ms",
    (count(*) filter (where "up" + "down" > 0))::int as "services",
    coalesce((select json_agg(json_build_array("id", "name", "status", "up", "down") order by "up" / ("up" + "down"), "id") from "least"), '[]') as "least"
  from "figure"`;

/**
 * Statement that computes the time of all services together for each day from `$4` to `$5`. The time of a day is the number of
 * services that were up at its end, multiplied by its length, and corrected by each change within the day. The number at the
 * end of a day is the number of now, without the changes since then. A service that is not provisioned is neither up nor down.
 */
const BY_DAY = `
  with "day" as (select * from unnest($4::timestamptz[], $5::timestamptz[]) with ordinality as d("start", "end", "number")),
  "counted" as (
    select "id", "status" from "services"."service"
    where "organization_id" = $1 and "provisioned_at" is not null and ($2::text[] is null or "account_id" = any($2))
      and ($3::text[] is null or "id" = any($3))
  ), "change" as (
    select c."created_at" as "at", ${isUp('c."to"')} - ${isUp('c."from"')} as "up", ${isDown('c."to"')} - ${isDown('c."from"')} as "down"
    from "services"."service_status_change" c join "counted" s on s."id" = c."service_id"
    where c."organization_id" = $1 and c."created_at" >= (select min("start") from "day") and c."from" is not null
  ), "within" as (
    select d."number", sum(c."up") as "up", sum(c."down") as "down",
      sum(c."up" * ${seconds('d."start"', 'c."at"')}) as "up_before", sum(c."down" * ${seconds('d."start"', 'c."at"')}) as "down_before"
    from "change" c join "day" d on c."at" >= d."start" and c."at" < d."end" group by d."number"
  ), "now" as (
    select coalesce(sum(${isUp('"status"')}), 0) - coalesce((select sum("up") from "change" where "at" >= (select max("end") from "day")), 0) as "up",
      coalesce(sum(${isDown('"status"')}), 0) - coalesce((select sum("down") from "change" where "at" >= (select max("end") from "day")), 0) as "down"
    from "counted"
  ), "later" as (
    select d.*, coalesce(w."up_before", 0) as "up_before", coalesce(w."down_before", 0) as "down_before",
      coalesce(sum(w."up") over after, 0) as "up", coalesce(sum(w."down") over after, 0) as "down"
    from "day" d left join "within" w on w."number" = d."number"
    window after as (order by d."number" rows between 1 following and unbounded following)
  )
  select round(((n."up" - l."up") * ${seconds('l."start"', 'l."end"')} - l."up_before") * 1000)::float8 as "up_ms",
    round(((n."down" - l."down") * ${seconds('l."start"', 'l."end"')} - l."down_before") * 1000)::float8 as "down_ms"
  from "later" l cross join "now" n order by l."number"`;
