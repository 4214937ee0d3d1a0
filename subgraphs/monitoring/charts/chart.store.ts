import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { MetricType } from '../metrics/metric.states.ts';
import { COLUMN_LIST, minutesOf } from '../rollups/rollup-sql.ts';
import { valueIn } from '../samples/sketch.ts';
import type { Labels } from '../series/series.ts';
import { Aggregation, Resolution } from './chart.states.ts';
import type { Steps } from './steps.ts';

/** A metric that the caller may see. */
export interface KnownMetric {
  id: number;
  name: string;
  type: MetricType;
  unit: string | null;
}

/** A series that matches the query of a chart. */
export interface MatchingSeries {
  id: number;
  metric_id: number;
  service_id: string | null;
  labels: Labels;
}

/** Value of a group of series in one time step. `step` is the index of the step. */
export interface StepValue {
  group: number;
  step: number;
  value: number;
}

/** Times before which the rollups are complete. */
export interface Completeness {
  minutesUntil: Date;
  quartersUntil: Date;
}

/** Reads the values of metrics in time steps. */
export class ChartStore {
  constructor(
    private readonly rows: Rows,
    private readonly scope: RecordScope,
  ) {}

  /** Returns the metrics with these names that have a series that the caller may see. */
  metrics(names: readonly string[]): Promise<KnownMetric[]> {
    const { organizationId, accounts } = this.scope;
    return this.rows.query<KnownMetric>(
      `select m."id", m."name", m."type", m."unit" from "monitoring"."metric" m
       where m."organization_id" = $1 and m."name" = any($3) and exists (
         select 1 from "monitoring"."series" s where s."organization_id" = $1 and s."metric_id" = m."id"
           and ($2::text[] is null or s."account_id" = any($2)))`,
      [organizationId, accounts, names],
    );
  }

  /** Returns at most `limit` series of metrics, with these services and labels. Null in place of the services means all services. */
  series(metricIds: readonly number[], serviceIds: readonly string[] | null, labels: Labels, limit: number): Promise<MatchingSeries[]> {
    const { organizationId, accounts } = this.scope;
    return this.rows.query<MatchingSeries>(
      `select s."id", s."metric_id", s."service_id", s."labels" from "monitoring"."series" s
       where s."organization_id" = $1 and s."metric_id" = any($3) and ($2::text[] is null or s."account_id" = any($2))
         and ($4::text[] is null or s."service_id" = any($4)) and s."labels" @> $5::text::jsonb
       order by s."service_id", s."labels"::text, s."id" limit $6`,
      [organizationId, accounts, metricIds, serviceIds, JSON.stringify(labels), limit],
    );
  }

  async completeness(): Promise<Completeness> {
    const [row] = await this.rows.query<{ minutes_until: Date | string; quarters_until: Date | string }>(
      `select "minutes_until", "quarters_until" from "monitoring"."rollup_state"`,
      [],
    );
    return { minutesUntil: new Date(row?.minutes_until ?? 0), quartersUntil: new Date(row?.quarters_until ?? 0) };
  }

  /**
   * Returns the values of groups of series in each step. `groups` contains the series of each group. Values that the rollups do not contain
   * yet are computed from the samples.
   */
  values(groups: readonly (readonly number[])[], steps: Steps, aggregation: Aggregation, until: Completeness): Promise<StepValue[]> {
    const series = groups.flatMap((ids, group) => ids.map((id) => ({ id, group })));
    const [quarters, minutes] = {
      [Resolution.SAMPLE]: [0, 0],
      [Resolution.MINUTE]: [0, until.minutesUntil.getTime()],
      [Resolution.QUARTER_HOUR]: [until.quartersUntil.getTime(), until.minutesUntil.getTime()],
    }[steps.resolution] as [number, number];
    const start = steps.times[0] ?? steps.end;
    const at = (ms: number): Date => new Date(Math.min(Math.max(ms, start.getTime()), steps.end.getTime()));
    const [quartersEnd, minutesEnd] = [at(quarters), at(Math.max(quarters, minutes))];
    return this.rows.query<StepValue>(valuesSql(aggregation, steps), [
      listed(series.map(({ id }) => id)),
      listed(series.map(({ group }) => group)),
      `{${steps.times.map((time) => `"${time.toISOString()}"`).join()}}`,
      ...[start, quartersEnd, minutesEnd, steps.end],
    ]);
  }
}

const listed = (numbers: readonly number[]): string => `{${numbers.join()}}`;

const PERCENT: Readonly<Partial<Record<Aggregation, number>>> = {
  [Aggregation.P50]: 50,
  [Aggregation.P90]: 90,
  [Aggregation.P95]: 95,
  [Aggregation.P99]: 99,
};

const VALUES: Readonly<Partial<Record<Aggregation, string>>> = {
  [Aggregation.AVG]: 'sum("sum") / sum("samples")::float8',
  [Aggregation.MIN]: 'min("min")',
  [Aggregation.MAX]: 'max("max")',
  [Aggregation.SUM]: 'sum("sum")',
  [Aggregation.COUNT]: 'sum("samples")::float8',
  [Aggregation.LAST]: '(array_agg("last" order by "at" desc))[1]',
  [Aggregation.INCREASE]: 'sum("increase")',
  [Aggregation.RATE]: 'sum("increase")',
};

/** Columns of the rollups that the aggregations read. Sketches are large, so they are read for percentiles only. */
const OF_VALUES = ['samples', 'sum', 'min', 'max', 'last', 'increase'];
const OF_PERCENTILES = ['min', 'max', 'sketch_index', 'sketch_amount'];

/**
 * Returns the SQL for the values of a chart. `$1` is the series, `$2` the group of each series, and `$3` the starts of the steps. 15-minute
 * rollups are read from `$4` to `$5`, 1-minute rollups from `$5` to `$6`, and samples from `$6` to `$7`.
 */
function valuesSql(aggregation: Aggregation, { resolution, lengthMs }: Steps): string {
  const rollup = (name: string, lo: string, hi: string): string =>
    `select ${COLUMN_LIST} from "monitoring"."${name}" where "series_id" in (select "id" from "wanted") and "at" >= ${lo} and "at" < ${hi}`;
  const ranges = `select "id" as "series_id", $6::timestamptz as "lo", $7::timestamptz as "hi" from "wanted"`;
  const length = resolution === Resolution.SAMPLE ? lengthMs / 1000 : 60;
  const percent = PERCENT[aggregation];
  const read = (percent === undefined ? OF_VALUES : OF_PERCENTILES).map((column) => `p."${column}"`).join(', ');
  return `
    with "wanted" as materialized (select * from unnest($1::text::int[], $2::text::int[]) as w("id", "group")),
    -- without this, PostgreSQL would read the text of the starts again for each row
    "step" as materialized (select $3::text::timestamptz[] as "starts"),
    -- only percentiles read the parts twice. If the parts of other aggregations were stored, the query would take three times as long
    "part" as ${percent === undefined ? 'not ' : ''}materialized (
      select p."at", ${read}, w."group", width_bucket(p."at", (select "starts" from "step")) - 1 as "step" from (
        ${rollup('rollup_15m', '$4::timestamptz', '$5::timestamptz')}
        union all ${rollup('rollup_1m', '$5::timestamptz', '$6::timestamptz')}
        union all select ${COLUMN_LIST} from (${minutesOf(ranges, length)}) fresh
      ) p join "wanted" w on w."id" = p."series_id"
    )${percent === undefined ? `select "group", "step", ${VALUES[aggregation]} as "value" from "part" group by "group", "step"` : percentileSql(percent)}`;
}

/** Returns SQL that computes a percentile from merged sketches. The lowest and the highest value are exact. */
const percentileSql = (percent: number): string => `,
    "merged" as (
      -- unnest in the list of columns takes half of the time of a join with unnest, which calls a function for each row
      select "group", "step", "bucket", sum("amount") as "amount"
      from (select "group", "step", unnest("sketch_index") as "bucket", unnest("sketch_amount") as "amount" from "part") u group by 1, 2, 3
    ), "ranked" as (
      select "group", "step", "bucket", sum("amount") over (partition by "group", "step" order by "bucket") as "up_to",
        sum("amount") over (partition by "group", "step") as "total"
      from "merged"
    ), "found" as (
      select "group", "step", min("bucket") as "bucket" from "ranked" where "up_to" * 100 >= "total" * ${percent} group by "group", "step"
    ), "bounds" as (select "group", "step", min("min") as "min", max("max") as "max" from "part" group by "group", "step")
    select f."group", f."step", least(greatest(${valueIn('f."bucket"')}, b."min"), b."max") as "value"
    from "found" f join "bounds" b on b."group" = f."group" and b."step" = f."step"`;
