import type { Rows } from '../../../kernel/database/database.ts';
import type { MetricValue } from '../metrics/metric.types.ts';
import { SAMPLES_MAX } from './live-sample.types.ts';

/** Maximum number of samples of a series that one search for late samples returns. Of more, the older ones are not found. */
const LATE_MAX = 1_000;

/** New samples of one series. */
export interface NewSamples {
  /** The newest samples, oldest first. */
  samples: MetricValue[];
  /** Number of all new samples. */
  total: number;
}

/** A snapshot of PostgreSQL as text. It tells which transactions had committed when the database was read. */
export type Snapshot = string;

/** A sample, and the first of some reads that has seen it. */
export interface SeenSample extends MetricValue {
  /** Index of the read. */
  read: number;
}

/** Reads the samples of series after a time. */
export class LiveSampleStore {
  constructor(private readonly rows: Rows) {}

  /** Returns the samples of each series that are newer than a time, in milliseconds since 1970, and what the read has seen. */
  async after(positions: ReadonlyMap<number, number>): Promise<{ snapshot: Snapshot; found: Map<number, NewSamples> }> {
    const rows = await this.rows.query<NewRow>(READ, timesOf(positions));
    const found = Map.groupBy(
      rows.filter(({ id }) => id !== null),
      ({ id }) => id as number,
    );
    return {
      snapshot: rows[0]?.snapshot ?? '',
      found: new Map(
        [...found].map(([id, its]) => [
          id,
          { samples: its.map(({ at, value }) => ({ at: new Date(at), value })), total: its[0]?.total ?? its.length },
        ]),
      ),
    };
  }

  /**
   * Returns the samples of each series that the last of some reads has seen, and the first has not: those after `since`, and at most as
   * new as a time, in milliseconds since 1970. The transaction that stored a sample is a system column of its row (`xmin`), so it costs
   * no space, and nothing when the sample is stored.
   */
  async storedBetween(positions: ReadonlyMap<number, number>, reads: readonly Snapshot[], since: Date): Promise<Map<number, SeenSample[]>> {
    const rows = await this.rows.query<{ id: number; at: Date | string; value: number; read: number }>(STORED_BETWEEN, [
      ...timesOf(positions),
      JSON.stringify(reads),
      since,
    ]);
    const found = Map.groupBy(rows, ({ id }) => id);
    return new Map([...found].map(([id, its]) => [id, its.map(({ at, value, read }) => ({ at: new Date(at), value, read }))]));
  }
}

interface NewRow {
  snapshot: Snapshot;
  /** Null in the only row of a read that has found nothing. */
  id: number | null;
  at: Date | string;
  value: number;
  total: number;
}

const timesOf = (positions: ReadonlyMap<number, number>): string[] => [
  `{${[...positions.keys()].join()}}`,
  `{${[...positions.values()].join()}}`,
];

const TIMES = 'unnest($1::text::int[], $2::text::bigint[]) as w("id", "ms")';
const TIME = 'to_timestamp(w."ms" / 1000.0)::timestamptz(3)';

const READ = `
  select n."snapshot", y."id", y."at", y."value", y."total"
  from (select pg_current_snapshot()::text as "snapshot") n left join (
    select w."id", x."at", x."value", x."total" from ${TIMES} cross join lateral (
      select s."at", s."value", count(*) over ()::int as "total" from "monitoring"."sample" s
      where s."series_id" = w."id" and s."at" > ${TIME} order by s."at" desc limit ${SAMPLES_MAX}
    ) x
  ) y on true order by y."id", y."at"`;

/**
 * Number of the transaction that stored a row. `xmin` has only its lower 32 bits, and the transaction is older than the last one that
 * the last read knew, so the others follow from that. A transaction that is newer gets a number that all reads have seen.
 */
const STORED_BY = `greatest(r."newest" - ((r."newest" - s."xmin"::text::bigint) & 4294967295), 0)::text::xid8`;

const STORED_BETWEEN = `
  with "read" as materialized (
    select (s."n" - 1)::int as "n", s."text"::pg_snapshot as "snapshot"
    from json_array_elements_text($3::json) with ordinality as s("text", "n")
  ), "range" as materialized (
    select a."snapshot" as "first", b."snapshot" as "last", pg_snapshot_xmax(b."snapshot")::text::bigint as "newest"
    from "read" a, "read" b where a."n" = 0 and b."n" = (select max("n") from "read")
  )
  select w."id", x."at", x."value",
    (select min(e."n") from "read" e where pg_visible_in_snapshot(x."stored_by", e."snapshot")) as "read"
  from "range" r cross join ${TIMES} cross join lateral (
    select s."at", s."value", ${STORED_BY} as "stored_by" from "monitoring"."sample" s
    where s."series_id" = w."id" and s."at" > $4::timestamptz and s."at" <= ${TIME}
      and not pg_visible_in_snapshot(${STORED_BY}, r."first") and pg_visible_in_snapshot(${STORED_BY}, r."last")
    order by s."at" desc limit ${LATE_MAX}
  ) x order by w."id", x."at"`;
