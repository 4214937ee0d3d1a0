import type { Clock } from '../../../kernel/clock.ts';
import type { Database, EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import { FREEZE_LOCK } from '../samples/sample.store.ts';
import type { SamplePartitions } from '../samples/sample-partitions.ts';
import { minutesOf, quartersOf, storedIn } from './rollup-sql.ts';

/** Time after the end of a minute before it is rolled up. Samples that arrive later are late. */
const WAIT_MS = 15_000;
export const QUARTER_MS = 15 * MINUTE_MS;
/** Length of the time range that one transaction rolls up. */
const MINUTES_MS = 5 * MINUTE_MS;
/** Length of the time range that one partition of samples covers. */
const SAMPLES_MS = 6 * HOUR_MS;
/** Maximum number of late samples in one transaction. The rollups of their minutes are computed again. */
const LATE = 500;
/** Maximum time between marking a series as active and storing a sample of the series. */
const ACTIVE = `interval '2 hours'`;

export interface RollupDeps {
  orm: Orm;
  rows: Rows;
  database: Database;
  clock: Clock;
  log: Logger;
  partitions: SamplePartitions;
}

interface State {
  frozenUntil: Date;
  minutesUntil: Date;
  quartersUntil: Date;
}

const floor = (time: Date, ms: number): Date => new Date(Math.floor(time.getTime() / ms) * ms);
const plus = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
const later = (one: Date, other: Date): Date => (one > other ? one : other);
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/**
 * Computes the rollups of complete minutes and complete quarters of an hour from the samples. Each rollup is computed again as a whole and
 * never added to, so a computation can be repeated, for example after a process was killed.
 */
export class Rollups {
  readonly #loop: WorkLoop;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly deps: RollupDeps) {
    this.#loop = new WorkLoop(async () => {
      await this.run();
      return false;
    }, deps.log);
  }

  start(): void {
    const { clock, database } = this.deps;
    this.#unsubscribe = database.poller.add({
      name: 'monitoring.rollups',
      // finds also minutes and quarters that a process has left, because it was killed or another process was computing
      query: `(select 1 from "monitoring"."rollup_state" where "frozen_until" < $1 or "minutes_until" < "frozen_until"
          or "quarters_until" < date_bin('15 minutes', "minutes_until", 'epoch'))
        union all (select 1 from "monitoring"."late_minute" l, "monitoring"."rollup_state" s where l."at" < s."minutes_until" limit 1)`,
      values: () => [this.#complete()],
      found: () => this.#loop.wake(),
      clock,
    });
    this.#loop.start();
  }

  stop(): Promise<void> {
    this.#unsubscribe?.();
    return this.#loop.stop();
  }

  /** Updates all rollups. Does nothing if another process is updating the rollups. */
  async run(): Promise<void> {
    if (!(await this.#freeze())) return;
    while (await this.#minutes());
    while (await this.#late());
    while (await this.#quarters());
  }

  /** Returns the end of the last complete minute, whose samples have all arrived unless they are late. */
  #complete(): Date {
    return floor(plus(this.deps.clock.now(), -WAIT_MS), MINUTE_MS);
  }

  /**
   * Moves `frozen_until` to the end of the last complete minute. Returns false if another process is computing rollups. Waits until running
   * transactions have committed their samples. From then on, earlier samples are marked as late.
   */
  #freeze(): Promise<boolean> {
    return this.#exclusively(false, async (tx, { frozenUntil }) => {
      const complete = this.#complete();
      if (complete > frozenUntil) {
        await tx.execute('select pg_advisory_xact_lock(?)', [FREEZE_LOCK]);
        await tx.execute(`update "monitoring"."rollup_state" set "frozen_until" = ?`, [complete.toISOString()]);
      }
      return true;
    });
  }

  /** Computes the rollups of some complete minutes. Returns true if there are more minutes to compute. */
  async #minutes(): Promise<boolean> {
    const state = await this.#state();
    if (state.minutesUntil >= state.frozenUntil) return false;
    const lo = await this.#firstSample(state.minutesUntil, state.frozenUntil);
    const hi = lo ? earlier(plus(floor(lo, MINUTES_MS), MINUTES_MS), state.frozenUntil) : state.frozenUntil;
    if (lo) await this.deps.partitions.minutes.ensure([lo]);
    return this.#exclusively(false, async (tx, { minutesUntil }) => {
      if (minutesUntil.getTime() !== state.minutesUntil.getTime()) return false;
      if (lo) await tx.execute(STORE_MINUTES, [lo.toISOString(), hi.toISOString(), lo.toISOString()]);
      await tx.execute(`update "monitoring"."rollup_state" set "minutes_until" = ?`, [hi.toISOString()]);
      return hi < state.frozenUntil;
    });
  }

  /** Returns the start of the first minutes in a range that contain samples. Undefined if the range has no samples. */
  async #firstSample(start: Date, end: Date): Promise<Date | undefined> {
    for (const partition of await this.deps.partitions.samples.startsSince(start)) {
      const first = later(partition, start);
      const last = earlier(plus(partition, SAMPLES_MS), end);
      for (let lo = first; lo < last; lo = plus(floor(lo, MINUTES_MS), MINUTES_MS)) {
        const hi = earlier(plus(floor(lo, MINUTES_MS), MINUTES_MS), last);
        const found = await this.deps.rows.query(`select 1 as "one" from "monitoring"."sample" where "at" >= $1 and "at" < $2 limit 1`, [
          lo,
          hi,
        ]);
        if (found.length > 0) return lo;
      }
    }
    return undefined;
  }

  /**
   * Computes the rollups of some minutes with late samples again, and the rollups of their quarters. Returns true if there may be more such
   * minutes.
   */
  async #late(): Promise<boolean> {
    const found = await this.deps.rows.query<{ id: string | number; at: Date | string }>(
      `select l."id", l."at" from "monitoring"."late_minute" l, "monitoring"."rollup_state" s where l."at" < s."minutes_until"
       order by l."id" limit ${LATE}`,
      [],
    );
    if (found.length === 0) return false;
    const ids = `{${found.map(({ id }) => id).join()}}`;
    // the step after a late sample may be in a later minute
    const times = found.flatMap(({ at }) => [new Date(at), plus(new Date(at), DAY_MS)]);
    await this.deps.partitions.minutes.ensure(times);
    await this.deps.partitions.quarters.ensure(times);
    return this.#exclusively(false, async (tx, { quartersUntil }) => {
      const minutes = JSON.stringify(await tx.execute<object[]>(LATE_MINUTES, [ids]));
      await tx.execute(DELETE_LATE_MINUTES, [minutes]);
      await tx.execute(STORE_LATE_MINUTES, [minutes]);
      await tx.execute(DELETE_LATE_QUARTERS, [minutes]);
      await tx.execute(STORE_LATE_QUARTERS, [minutes, quartersUntil.toISOString()]);
      await tx.execute(`delete from "monitoring"."late_minute" where "id" = any(?::text::bigint[])`, [ids]);
      return found.length === LATE;
    });
  }

  /** Computes the rollups of some complete quarters, for at most an hour. Returns true if there are more quarters to compute. */
  async #quarters(): Promise<boolean> {
    const state = await this.#state();
    const end = floor(state.minutesUntil, QUARTER_MS);
    // days without rollups of a minute are skipped
    const [first = end] = await this.deps.partitions.minutes.startsSince(state.quartersUntil);
    const lo = earlier(later(state.quartersUntil, first), end);
    if (lo >= end && state.quartersUntil >= end) return false;
    const hi = earlier(plus(floor(lo, HOUR_MS), HOUR_MS), end);
    if (lo < hi) await this.deps.partitions.quarters.ensure([lo]);
    return this.#exclusively(false, async (tx, { quartersUntil }) => {
      if (quartersUntil.getTime() !== state.quartersUntil.getTime()) return false;
      if (lo < hi) await tx.execute(STORE_QUARTERS, [lo.toISOString(), hi.toISOString(), lo.toISOString()]);
      await tx.execute(`update "monitoring"."rollup_state" set "quarters_until" = ?`, [hi.toISOString()]);
      return hi < end;
    });
  }

  /** Runs `act` in a transaction while no other process can compute rollups. Returns `busy` if another process is computing them. */
  #exclusively<T>(busy: T, act: (tx: EntityManager, state: State) => Promise<T>): Promise<T> {
    return this.deps.orm.em.fork().transactional(async (tx) => {
      const [row] = await tx.execute<StateRow[]>(`${STATE} for update skip locked`);
      return row ? act(tx, stateOf(row)) : busy;
    });
  }

  async #state(): Promise<State> {
    const [row] = await this.deps.rows.query<StateRow>(STATE, []);
    return stateOf(row as StateRow);
  }
}

interface StateRow {
  frozen_until: Date | string;
  minutes_until: Date | string;
  quarters_until: Date | string;
}

const STATE = `select "frozen_until", "minutes_until", "quarters_until" from "monitoring"."rollup_state"`;

const stateOf = (row: StateRow): State => ({
  frozenUntil: new Date(row.frozen_until),
  minutesUntil: new Date(row.minutes_until),
  quartersUntil: new Date(row.quarters_until),
});

/** SQL for the series that may have samples in a time range. Its parameters are the start, the end, and again the start of the range. */
const ACTIVE_SERIES = `
  select s."id" as "series_id", ?::timestamptz as "lo", ?::timestamptz as "hi" from "monitoring"."series" s
  where s."active_at" >= ?::timestamptz - ${ACTIVE}`;
const STORE_MINUTES = storedIn('rollup_1m', minutesOf(ACTIVE_SERIES));
const STORE_QUARTERS = storedIn('rollup_15m', quartersOf(ACTIVE_SERIES));

/**
 * SQL that selects the minutes to compute again: minutes of late samples, and for counters and histograms the minute of the next sample, whose increase
 * begins at the late sample.
 */
const LATE_MINUTES = `
  with "late" as (select distinct "series_id", "at" from "monitoring"."late_minute" where "id" = any(?::text::bigint[]))
  select "series_id", "at" from "late"
  union
  select l."series_id", date_trunc('minute', n."at") from "late" l
  join "monitoring"."series" s on s."id" = l."series_id" and not s."is_delta"
  join "monitoring"."metric" m on m."id" = s."metric_id" and m."type" in ('counter', 'histogram')
  cross join lateral (
    select x."at" from "monitoring"."sample" x
    where x."series_id" = l."series_id" and x."at" >= l."at" + interval '1 minute' and x."at" < l."at" + interval '1 day 1 minute'
    order by x."at" limit 1
  ) n
  where n."at" < (select "minutes_until" from "monitoring"."rollup_state")`;
const GIVEN = 'json_to_recordset(?::json) as g("series_id" int, "at" timestamptz)';
/** A late sample can take all values away from the minute of the next sample, which then has no rollup any more. */
const deleteLate = (table: 'rollup_1m' | 'rollup_15m', at: string): string => `
  delete from "monitoring"."${table}" r using (select distinct g."series_id", ${at} as "at" from ${GIVEN}) l, "monitoring"."series" s,
    "monitoring"."metric" m
  where r."series_id" = l."series_id" and r."at" = l."at" and s."id" = l."series_id" and m."id" = s."metric_id" and m."type" = 'histogram'`;
const DELETE_LATE_MINUTES = deleteLate('rollup_1m', 'g."at"');
const DELETE_LATE_QUARTERS = deleteLate('rollup_15m', `date_bin('15 minutes', g."at", 'epoch')`);
const STORE_LATE_MINUTES = storedIn(
  'rollup_1m',
  minutesOf(`select "series_id", "at" as "lo", "at" + interval '1 minute' as "hi" from ${GIVEN}`),
);
const STORE_LATE_QUARTERS = storedIn(
  'rollup_15m',
  quartersOf(`
    select distinct "series_id", date_bin('15 minutes', "at", 'epoch') as "lo", date_bin('15 minutes', "at", 'epoch') + interval '15 minutes' as "hi"
    from ${GIVEN} where "at" < ?::timestamptz`),
);
