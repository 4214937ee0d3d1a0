import type { EntityManager } from '../../../kernel/database/database.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { Aggregation } from '../charts/chart.states.ts';
import { COLUMN_LIST, LOOK_BACK, minutesOf } from '../rollups/rollup-sql.ts';
import { valueIn } from '../samples/sketch.ts';
import type { WatchedSeries } from './alert-series.store.ts';

/** A time range of some series that is aggregated to one value. */
export interface WantedRange {
  series: readonly WatchedSeries[];
  isCounter: boolean;
  aggregation: Aggregation;
  /** Start of the range, inclusive. */
  start: Date;
  /** End of the range, exclusive. */
  end: Date;
}

/** Number of samples in a range, and their aggregated value. */
export interface RangeValue {
  samples: number;
  /** Aggregated value. Null if the range has no samples, or if the metric does not support the aggregation. */
  value: number | null;
}

const PERCENTS: Readonly<Partial<Record<Aggregation, number>>> = {
  [Aggregation.P50]: 50,
  [Aggregation.P90]: 90,
  [Aggregation.P95]: 95,
  [Aggregation.P99]: 99,
};

interface Row {
  range: number;
  samples: number;
  sum: number;
  min: number;
  max: number;
  last: number;
  increase: number | null;
  percentile: number | null;
}

/** Reads ranges from the samples with one statement. Returns the values in the order of the ranges. */
export const readSamples = (tx: EntityManager, ranges: readonly WantedRange[]): Promise<RangeValue[]> =>
  read(ranges, (rows) => tx.execute<Row[]>(FROM_SAMPLES, [rows]));

/**
 * Reads ranges from the 1-minute rollups with one statement. Ranges begin and end at full minutes. Values that are not rolled up yet are
 * computed from the samples.
 */
export async function readMinutes(tx: EntityManager, ranges: readonly WantedRange[]): Promise<RangeValue[]> {
  if (ranges.length === 0) return [];
  const [state] = await tx.execute<{ minutes_until: Date | string }[]>(`select "minutes_until" from "monitoring"."rollup_state"`);
  const starts = ranges.map(({ start }) => start.getTime());
  const ends = ranges.map(({ end }) => end.getTime());
  const until = new Date(Math.max(new Date(state?.minutes_until ?? 0).getTime(), Math.min(...starts))).toISOString();
  const end = new Date(Math.max(...ends)).toISOString();
  return read(ranges, (rows) => tx.execute<Row[]>(FROM_MINUTES, [rows, until, until, end]));
}

/** Returns the start of the minute that contains a time. */
export const fullMinute = (time: Date): Date => new Date(Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS);

async function read(ranges: readonly WantedRange[], select: (rows: string) => Promise<Row[]>): Promise<RangeValue[]> {
  const wanted = ranges.flatMap(({ series, isCounter, aggregation, start, end }, range) =>
    series.map(({ id, isDelta }) => ({
      ...{ range, series_id: id, is_counter: isCounter, is_delta: isDelta, lo: start, hi: end },
      percent: isCounter ? null : (PERCENTS[aggregation] ?? null),
    })),
  );
  const found = new Map((wanted.length > 0 ? await select(JSON.stringify(wanted)) : []).map((row) => [row.range, row]));
  return ranges.map((range, index) => rangeValue(range, found.get(index)));
}

function rangeValue({ aggregation, start, end }: WantedRange, row: Row | undefined): RangeValue {
  const samples = Number(row?.samples ?? 0);
  if (!row) return { samples, value: aggregation === Aggregation.COUNT ? 0 : null };
  const seconds = (end.getTime() - start.getTime()) / 1000;
  const rate = row.increase === null ? null : row.increase / seconds;
  const values: Readonly<Partial<Record<Aggregation, number | null>>> = {
    [Aggregation.AVG]: row.sum / samples,
    [Aggregation.MIN]: row.min,
    [Aggregation.MAX]: row.max,
    [Aggregation.SUM]: row.sum,
    [Aggregation.COUNT]: samples,
    [Aggregation.LAST]: row.last,
    [Aggregation.INCREASE]: row.increase,
    [Aggregation.RATE]: rate,
  };
  return { samples, value: aggregation in PERCENTS ? row.percentile : (values[aggregation] ?? null) };
}

const WANTED = `"wanted" as materialized (
  select * from json_to_recordset(?::json) as g("range" int, "series_id" int, "is_counter" boolean, "is_delta" boolean, "percent" float8,
    "lo" timestamptz, "hi" timestamptz)
)`;

/**
 * SQL that aggregates samples. The increase of a counter is computed as in rollups: each increase is assigned to the time of its later
 * sample, and a lower value means that the counter was restarted at zero.
 */
const FROM_SAMPLES = `
  with ${WANTED}, "raw" as materialized (
    select w."range", w."is_counter", w."is_delta", w."percent", x."at", x."value",
      case when w."is_counter" and not w."is_delta" then coalesce(
        lag(x."value") over (partition by w."range", w."series_id" order by x."at"),
        (select p."value" from "monitoring"."sample" p where p."series_id" = w."series_id" and p."at" < w."lo"
           and p."at" >= x."at" - ${LOOK_BACK} order by p."at" desc limit 1)) end as "before"
    from "wanted" w cross join lateral (
      select s."at", s."value" from "monitoring"."sample" s
      where s."series_id" = w."series_id" and s."at" >= w."lo" and s."at" < w."hi" order by s."at" offset 0
    ) x
  )
  select "range", count(*)::int as "samples", sum("value") as "sum", min("value") as "min", max("value") as "max",
    (array_agg("value" order by "at" desc))[1] as "last",
    case when bool_or("is_counter") then sum(case when "is_delta" then "value" when "before" is null then 0
      when "value" >= "before" then "value" - "before" else "value" end) end as "increase",
    case when "percent" is not null then percentile_disc("percent" / 100) within group (order by "value") end as "percentile"
  from "raw" group by "range", "percent"`;

/**
 * SQL that aggregates 1-minute rollups. The second and third `?` are the time until which rollups exist; the last `?` is the end of all
 * ranges.
 */
const FROM_MINUTES = `
  with ${WANTED}, "limits" as materialized (select ?::timestamptz as "until"), "part" as materialized (
    select w."range", w."percent", p.* from "wanted" w cross join lateral (
      select ${COLUMN_LIST} from "monitoring"."rollup_1m" r where r."series_id" = w."series_id" and r."at" >= w."lo"
        and r."at" < least(w."hi", (select "until" from "limits")) offset 0
    ) p
    union all
    select w."range", w."percent", p.* from (
      ${minutesOf(`select distinct "series_id", ?::timestamptz as "lo", ?::timestamptz as "hi" from "wanted"`)}
    ) p join "wanted" w on w."series_id" = p."series_id" and p."at" >= w."lo" and p."at" < w."hi"
  ), "bucket" as (
    select "range", "percent", "bucket", sum("amount") as "amount"
    from (
      select "range", "percent", unnest("sketch_index") as "bucket", unnest("sketch_amount") as "amount" from "part" where "percent" is not null
    ) u group by 1, 2, 3
  ), "ranked" as (
    select "range", "percent", "bucket", sum("amount") over (partition by "range" order by "bucket") as "up_to",
      sum("amount") over (partition by "range") as "total" from "bucket"
  ), "found" as (
    select "range", min("bucket") as "bucket" from "ranked" where "up_to" * 100 >= "total" * "percent" group by "range"
  ), "total" as (
    select "range", sum("samples")::int as "samples", sum("sum") as "sum", min("min") as "min", max("max") as "max",
      (array_agg("last" order by "at" desc))[1] as "last", sum("increase") as "increase"
    from "part" group by "range"
  )
  select t.*, case when f."bucket" is not null then least(greatest(${valueIn('f."bucket"')}, t."min"), t."max") end as "percentile"
  from "total" t left join "found" f on f."range" = t."range"`;
