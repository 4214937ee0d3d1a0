import type { Backfill } from '../database/backfill.ts';
import type { Orm, Rows } from '../database/database.ts';
import { Parameters } from '../lists/parameters.ts';
import { conditionsOf, type RowFilter } from '../lists/row-filter.ts';
import type { Logger } from '../log/log.ts';
import { WorkLoop } from '../work/work-loop.ts';
import type { WorkPoller } from '../work/work-poller.ts';
import { canCount, cellColumns, countedName, type Tally, tallyName } from './tally.ts';
import { tallyBackfill } from './tally-backfill.ts';
import { sumOf } from './total-statement.ts';

/** Maximum number of cells per compaction. Each cell is locked while the compaction runs. */
const COMPACTED_AT_ONCE = 500;

interface CountersDeps {
  orm: Orm;
  rows: Rows;
  database: { poller: WorkPoller };
  log: Logger;
}

/** A tally of this process, and the backfill without which it is incomplete. */
interface Counted {
  tally: Tally;
  backfill: Backfill | undefined;
}

/**
 * Returns SQL that selects a row if there are rows to compact. Because of its `order by`, it uses the index of these
 * rows.
 */
const uncompactedOf = (tally: Tally): string => `select 1 from ${tallyName(tally)} where not "folded" order by "organization_id" limit 1`;

const isComplete = ({ backfill }: Counted): boolean => backfill?.isDone ?? true;

/**
 * Counts the rows of a table without reading each row. Triggers append every change to the tallies of the table, in the
 * transaction of the change. This class compacts the appended rows into sums, and adds the sums of a total.
 */
export class Counters {
  readonly #counted: readonly Counted[];
  readonly #rows: Rows;
  readonly #poller: WorkPoller;
  readonly #loop: WorkLoop;
  readonly #stopPolling: (() => void)[] = [];

  /**
   * Creates the counters of a table. All tallies must count the same table. The first tally must have no owners, because it is the
   * smallest.
   */
  constructor(
    { orm, rows, database, log }: CountersDeps,
    private readonly first: Tally,
    ...others: Tally[]
  ) {
    this.#rows = rows;
    this.#poller = database.poller;
    this.#counted = [first, ...others].map((tally) => ({
      tally,
      backfill: tally.backfill === undefined ? undefined : tallyBackfill({ orm, log }, tally, tally.backfill),
    }));
    this.#loop = new WorkLoop(() => this.#compactAll(), log);
  }

  start(): void {
    for (const { tally, backfill } of this.#counted) {
      backfill?.start();
      const name = `${tally.schema}.${tally.table}`;
      this.#stopPolling.push(this.#poller.add({ name, query: uncompactedOf(tally), found: () => this.#loop.wake() }));
    }
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopPolling.splice(0)) stop();
    await Promise.all([this.#loop.stop(), ...this.#counted.map(({ backfill }) => backfill?.stop())]);
  }

  /**
   * Returns the exact number of rows that match the filter. The number is the sum of a few hundred counts. If no complete
   * tally has all columns of the filter, the rows are counted instead.
   */
  async total(filter: RowFilter): Promise<number> {
    const found = this.#counted.find((one) => isComplete(one) && canCount(one.tally, filter));
    const parameters = new Parameters();
    const { text, isPrepared } = found
      ? sumOf(found.tally, this.first, filter, parameters)
      : {
          text: `(select count(*) from ${countedName(this.first)} t where ${conditionsOf(filter, parameters).join(' and ')})`,
          isPrepared: false,
        };
    const [row] = await this.#rows.tuples(`select (${text})::int as total`, parameters.values, { isPrepared });
    return Number(row?.[0] ?? 0);
  }

  /** Compacts all complete tallies once. Returns true if there may be more rows to compact. */
  async #compactAll(): Promise<boolean> {
    const compacted: number[] = [];
    for (const one of this.#counted) if (isComplete(one)) compacted.push(await this.#compact(one.tally));
    return Math.max(0, ...compacted) >= COMPACTED_AT_ONCE;
  }

  /**
   * Replaces appended rows by one sum per cell. Several processes may do this at the same time, because each row is deleted by only one
   * process. If several processes compact the same cell, it has several sums, which are added when the cell is read.
   */
  async #compact(tally: Tally): Promise<number> {
    const table = tallyName(tally);
    const [cell, ofRow, ofCell] = [
      cellColumns(tally).map((column) => `"${column}"`),
      cellColumns(tally).map((column) => `t."${column}"`),
      cellColumns(tally).map((column) => `n."${column}"`),
    ];
    const [row] = await this.#rows.query<{ cells: number }>(
      `with news as materialized (select distinct ${cell} from ${table} where not "folded" limit ${COMPACTED_AT_ONCE}),
        taken as (delete from ${table} t using news n where (${ofRow}) = (${ofCell}) returning t.*),
        folded as (insert into ${table} (${cell}, "count", "folded")
          select ${cell}, sum("count"), true from taken group by ${cell} having sum("count") <> 0)
       select count(*)::int as cells from news`,
      [],
    );
    return row?.cells ?? 0;
  }
}
