import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { Distribution, Sample, Stored } from './sample.ts';
import type { SamplePartitions } from './sample-partitions.ts';
import { storedValue } from './sketch.ts';

/**
 * Advisory lock between writers and rollups ("rollup" in ASCII). Writers hold it in shared mode until they have committed. A rollup holds
 * it exclusively for the short time in which it moves `frozen_until`. So each sample before `frozen_until` was committed before, or its
 * minute is in `late_minute`.
 */
export const FREEZE_LOCK = 0x726f6c6c7570;

/** Stores samples in their table. */
export class SampleStore {
  constructor(
    private readonly orm: Orm,
    private readonly partitions: SamplePartitions,
  ) {}

  /**
   * Stores samples in one transaction. Returns the result for each sample. Of several samples with the same series and time, the first is
   * stored.
   */
  async write(samples: readonly Sample[]): Promise<Stored[]> {
    const first = new Map<string, number>();
    const firstOf = samples.map(({ seriesId, at }, index) => {
      const key = `${seriesId} ${at}`;
      if (!first.has(key)) first.set(key, index);
      return first.get(key) as number;
    });
    const indexes = [...first.values()];
    const unique = indexes.map((index) => samples[index] as Sample);
    await this.partitions.samples.ensure(partitionTimes(unique));
    const known = await this.orm.em.fork().transactional((tx) => insert(tx, unique));
    const before = new Map(known.map(({ n, value }) => [indexes[n - 1], value]));
    return samples.map(({ value }, index) => {
      const its = firstOf[index] as number;
      if (its === index && !before.has(its)) return 'accepted';
      return storedValue(value) === (before.get(its) ?? storedValue((samples[its] as Sample).value)) ? 'duplicate' : 'conflict';
    });
  }
}

/** Returns one time for each hour that contains samples, which is enough to find their partitions. */
function partitionTimes(samples: readonly Sample[]): Date[] {
  const hours = new Set(samples.map(({ at }) => Math.floor(at / HOUR_MS)));
  return [...hours].map((hour) => new Date(hour * HOUR_MS));
}

/** The stored value of a series at the time of a sample, and the position of the sample in the request, starting at 1. */
interface KnownRow {
  n: number;
  value: number;
}

async function insert(tx: EntityManager, samples: readonly Sample[]): Promise<KnownRow[]> {
  await tx.execute('select pg_advisory_xact_lock_shared(?)', [FREEZE_LOCK]);
  const columns = [
    listed(samples.map(({ seriesId }) => seriesId)),
    listed(samples.map(({ at }) => at)),
    listed(samples.map(({ value }) => storedValue(value))),
    JSON.stringify(
      samples.flatMap(({ distribution }, index) => (distribution ? [{ n: index + 1, ...storedDistribution(distribution) }] : [])),
    ),
  ];
  const [row] = await tx.execute<{ missed: number[] | null }[]>(INSERT, columns);
  const missed = row?.missed ?? [];
  if (missed.length === 0) return [];
  const rows = missed.map((n) => samples[n - 1] as Sample);
  return tx.execute<KnownRow[]>(KNOWN, [listed(missed), listed(rows.map(({ seriesId }) => seriesId)), listed(rows.map(({ at }) => at))]);
}

const storedDistribution = ({ sum, min, max, ...counts }: Distribution): Distribution => ({
  ...counts,
  sum: storedValue(sum),
  min: min && storedValue(min),
  max: max && storedValue(max),
});

/** Returns an SQL array as a text. Sending a text is much faster than sending an array, because the driver would quote each value. */
const listed = (numbers: readonly number[]): string => `{${numbers.join()}}`;

const AT = `to_timestamp("ms" / 1000.0)::timestamptz(3)`;

/**
 * SQL that inserts samples, and the minutes of late samples. Returns the positions of samples whose series already has a value at their
 * time. Samples are inserted in the order of their keys, so that concurrent writers wait for each other and do not cause a deadlock.
 */
const INSERT = `
  with "given" as (
    select g."n", g."series_id", ${AT} as "at", g."value", case when d."n" is not null then
        row(d."count", d."sum", d."min", d."max", d."index", d."amount")::"monitoring"."distribution" end as "distribution"
    from unnest(?::text::int[], ?::text::bigint[], ?::text::float8[]) with ordinality as g("series_id", "ms", "value", "n")
    left join json_to_recordset(?::json) as d("n" bigint, "count" bigint, "sum" float8, "min" float8, "max" float8, "index" smallint[],
      "amount" bigint[]) on d."n" = g."n"
  ), "stored" as (
    insert into "monitoring"."sample" ("series_id", "at", "value", "distribution")
    select "series_id", "at", "value", "distribution" from "given" order by "series_id", "at"
    on conflict do nothing returning "series_id", "at"
  ), "late" as (
    insert into "monitoring"."late_minute" ("series_id", "at")
    select distinct "series_id", date_trunc('minute', "at") from "stored"
    where "at" < (select "frozen_until" from "monitoring"."rollup_state")
  )
  select array_agg("n"::int) as "missed" from "given" g
  where not exists (select 1 from "stored" s where s."series_id" = g."series_id" and s."at" = g."at")`;

const KNOWN = `
  select g."n", s."value"
  from (
    select "n", "series_id", ${AT} as "at" from unnest(?::text::int[], ?::text::int[], ?::text::bigint[]) as g("n", "series_id", "ms")
  ) g join "monitoring"."sample" s on s."series_id" = g."series_id" and s."at" = g."at"`;
