import { bucketOf, valueIn } from '../samples/sketch.ts';

/** Columns of a rollup table, in the order in which the queries of this file select them. */
const COLUMNS = ['series_id', 'at', 'samples', 'sum', 'min', 'max', 'first', 'last', 'increase', 'sketch_index', 'sketch_amount'];
export const COLUMN_LIST = COLUMNS.map((column) => `"${column}"`).join(', ');

/**
 * Maximum time between two samples of a counter for which an increase is computed. After a longer time, the counter starts again. Samples
 * are kept for longer than this time, so a later computation has the same result.
 */
export const LOOK_BACK = `interval '1 day'`;

/**
 * Returns the SQL that computes rollups from samples. A rollup covers a minute, or another `length` in seconds. `ranges` selects
 * `series_id`, `lo` (inclusive) and `hi` (exclusive), which begin at a full minute. The ranges of a series do not overlap.
 *
 * The increase of a counter is the sum of the differences between consecutive samples. A value below the previous value means that the
 * counter was restarted at zero, so the value itself is the increase. Values are not extrapolated, so the increases of all minutes add up
 * to the increase of the whole range.
 *
 * The rollup of a histogram is about the measured values and not about the samples: `samples` is the number of values. A minute
 * without values has no rollup.
 */
export const minutesOf = (ranges: string, length = 60): string => `
  with "range" as materialized (
    select r.*, m."type" = 'counter' as "is_counter", m."type" = 'histogram' as "is_histogram", s."is_delta"
    from (${ranges}) r join "monitoring"."series" s on s."id" = r."series_id" join "monitoring"."metric" m on m."id" = s."metric_id"
  ), "raw" as materialized (
    select r."series_id", r."is_counter", r."is_delta", x."at", date_bin('${length} seconds', x."at", 'epoch') as "minute", x."value",
      case when r."is_counter" and not r."is_delta" then coalesce(
        lag(x."value") over (partition by r."series_id", r."lo" order by x."at"),
        (select p."value" from "monitoring"."sample" p where p."series_id" = r."series_id" and p."at" < r."lo"
           and p."at" >= x."at" - ${LOOK_BACK} order by p."at" desc limit 1)) end as "before"
    from "range" r cross join lateral (
      select s."at", s."value" from "monitoring"."sample" s
      where s."series_id" = r."series_id" and s."at" >= r."lo" and s."at" < r."hi" order by s."at" offset 0
    ) x where not r."is_histogram"
  ), ${observedOf(length)}, "total" as (
    select "series_id", "minute", count(*) as "samples", sum("value") as "sum", min("value") as "min", max("value") as "max",
      (array_agg("value" order by "at"))[1] as "first", (array_agg("value" order by "at" desc))[1] as "last",
      case when bool_or("is_counter") then sum(case when "is_delta" then "value" when "before" is null then 0
        when "value" >= "before" then "value" - "before" else "value" end) end as "increase"
    from "raw" group by "series_id", "minute"
    union all
    select "series_id", "minute", sum("observed")::bigint, sum("sum"), min("min"), max("max"),
      (array_agg("mean" order by "at"))[1], (array_agg("mean" order by "at" desc))[1], null
    from "observed" group by "series_id", "minute"
  ), "sketch" as (
    select "series_id", "minute", array_agg("bucket" order by "bucket") as "sketch_index", array_agg("amount" order by "bucket") as "sketch_amount"
    from (
      select "series_id", "minute", ${bucketOf('"value"')} as "bucket", count(*) as "amount"
      from "raw" where not "is_counter" group by 1, 2, 3
      union all
      select "series_id", "minute", "bucket", sum("amount")::bigint from "added" group by 1, 2, 3
    ) b group by "series_id", "minute"
  )
  select t."series_id", t."minute" as "at", t."samples", t."sum", t."min", t."max", t."first", t."last", t."increase", k."sketch_index", k."sketch_amount"
  from "total" t left join "sketch" k on k."series_id" = t."series_id" and k."minute" = t."minute"`;

/**
 * Returns the common table expressions `observed` (what each sample of a histogram adds) and `added` (in which buckets). A
 * cumulative sample adds the difference from the sample before. If the number of values has fallen, the sample comes after a
 * restart at zero. A sample without another one before adds nothing, as that of a counter.
 *
 * The buckets of an exponential histogram become coarser over time. The differences of such buckets are no numbers of values, so
 * they are scaled to the number of values that were added.
 */
const observedOf = (length: number): string => `"point" as materialized (
    select r."series_id", r."is_delta", x."at", date_bin('${length} seconds', x."at", 'epoch') as "minute", x."distribution" as "own",
      case when not r."is_delta" then coalesce(
        lag(x."distribution") over (partition by r."series_id", r."lo" order by x."at"),
        (select p."distribution" from "monitoring"."sample" p where p."series_id" = r."series_id" and p."at" < r."lo"
           and p."at" >= x."at" - ${LOOK_BACK} order by p."at" desc limit 1)) end as "before"
    from "range" r cross join lateral (
      select s."at", s."distribution" from "monitoring"."sample" s
      where s."series_id" = r."series_id" and s."at" >= r."lo" and s."at" < r."hi" order by s."at" offset 0
    ) x where r."is_histogram"
  ), "step" as materialized (
    select "series_id", "minute", "at", ("own")."index", ("own")."amount",
      case when not "is_whole" then ("before")."index" end as "index_before",
      case when not "is_whole" then ("before")."amount" end as "amount_before",
      ("own")."count" - case when "is_whole" then 0 else ("before")."count" end as "observed",
      ("own")."sum" - case when "is_whole" then 0 else ("before")."sum" end as "sum",
      case when "is_whole" or ("own")."min" < ("before")."min" then ("own")."min" end as "min",
      case when "is_whole" or ("own")."max" > ("before")."max" then ("own")."max" end as "max"
    from (select *, coalesce("is_delta" or ("own")."count" < ("before")."count", false) as "is_whole" from "point") p
    where ("own")."count" is not null and ("is_whole" or ("before")."count" is not null)
  ), "gained" as (
    select s."series_id", s."minute", s."at", s."observed", b."bucket", sum(b."amount") as "amount",
      sum(sum(b."amount")) over (partition by s."series_id", s."at") as "total"
    from "step" s cross join lateral (
      select u."bucket", u."amount" from unnest(s."index", s."amount") as u("bucket", "amount")
      union all select u."bucket", -u."amount" from unnest(s."index_before", s."amount_before") as u("bucket", "amount")
    ) b where s."observed" > 0 group by 1, 2, 3, 4, 5 having sum(b."amount") > 0
  ), "added" as materialized (
    select "series_id", "minute", "at", "bucket",
      case when "total" = "observed" then "amount" else greatest(1, round("amount" * "observed" / "total")) end as "amount"
    from "gained"
  ), "observed" as materialized (
    select s."series_id", s."minute", s."at", s."observed", s."sum", s."sum" / s."observed" as "mean",
      least(coalesce(s."min", ${valueIn('b."lowest"')}), s."sum" / s."observed") as "min",
      greatest(coalesce(s."max", ${valueIn('b."highest"')}), s."sum" / s."observed") as "max"
    from "step" s left join (
      select "series_id", "at", min("bucket") as "lowest", max("bucket") as "highest" from "added" group by "series_id", "at"
    ) b on b."series_id" = s."series_id" and b."at" = s."at"
    where s."observed" > 0
  )`;

/**
 * Returns the SQL that computes 15-minute rollups from 1-minute rollups. `ranges` is as in `minutesOf`, but its ranges begin and end at
 * full quarters of an hour.
 */
export const quartersOf = (ranges: string): string => `
  with "minute" as materialized (
    select x.*, date_bin('15 minutes', x."at", 'epoch') as "quarter"
    from (${ranges}) r cross join lateral (
      select * from "monitoring"."rollup_1m" m where m."series_id" = r."series_id" and m."at" >= r."lo" and m."at" < r."hi" order by m."at" offset 0
    ) x
  ), "total" as (
    select "series_id", "quarter", sum("samples")::bigint as "samples", sum("sum") as "sum", min("min") as "min", max("max") as "max",
      (array_agg("first" order by "at"))[1] as "first", (array_agg("last" order by "at" desc))[1] as "last", sum("increase") as "increase"
    from "minute" group by "series_id", "quarter"
  ), "sketch" as (
    select "series_id", "quarter", array_agg("bucket" order by "bucket") as "sketch_index", array_agg("amount" order by "bucket") as "sketch_amount"
    from (
      -- unnest in the list of columns takes half of the time of a join with unnest, which calls a function for each row
      select "series_id", "quarter", "bucket", sum("amount")::bigint as "amount"
      from (select "series_id", "quarter", unnest("sketch_index") as "bucket", unnest("sketch_amount") as "amount" from "minute") u
      group by 1, 2, 3
    ) b group by "series_id", "quarter"
  )
  select t."series_id", t."quarter" as "at", t."samples", t."sum", t."min", t."max", t."first", t."last", t."increase", k."sketch_index", k."sketch_amount"
  from "total" t left join "sketch" k on k."series_id" = t."series_id" and k."quarter" = t."quarter"`;

/** Returns the SQL that stores computed rollups. A stored rollup is replaced, never added to. */
export const storedIn = (table: 'rollup_1m' | 'rollup_15m', rollups: string): string => `
  insert into "monitoring"."${table}" (${COLUMN_LIST}) select ${COLUMN_LIST} from (${rollups}) computed
  on conflict ("series_id", "at") do update set
    ${COLUMNS.slice(2)
      .map((column) => `"${column}" = excluded."${column}"`)
      .join(', ')}`;
