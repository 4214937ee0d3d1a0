import type { Clock } from '../clock.ts';
import type { Database, EntityManager, Orm, Rows } from '../database/database.ts';
import { PREPARED } from '../database/statements.ts';
import type { Logger } from '../log/log.ts';
import { WorkLoop } from '../work/work-loop.ts';
import type { WorkPoller } from '../work/work-poller.ts';
import { organizationEm } from './organization-filter.ts';

const DEFAULT_LIMIT = 100;

export interface SweeperDeps {
  /** Identifies the sweeper in log lines, such as `support.sla`. */
  name: string;
  clock: Clock;
  log: Logger;
  /** The poller of the database that contains the due rows. */
  poller: Pick<WorkPoller, 'add'>;
  /** An SQL query that returns a row if any row is due at `$1`. */
  query: string;
  /** Maximum number of rows per sweep. */
  limit?: number;
  /** The table with the due rows, for code that handles the rows of a single organization. */
  due?: Pick<DueRows, 'table' | 'column'>;
}

/**
 * Handles at most `limit` rows that are due at `now`, earliest first. Returns the number of handled rows.
 * All processes sweep in parallel. So a sweep must lock each row with `for update skip locked`, in the transaction that
 * handles the row. A row that cannot be handled must get a later due time; otherwise every sweep would take it first.
 * `sweepOf` creates a sweep for the rows of a table. With `only`, it handles only the rows of this organization.
 */
export type Sweep = (now: Date, limit: number, only?: string) => Promise<number>;

/**
 * Handles rows with a due time, such as SLA deadlines. The poller finds a due row within a second, or immediately if a
 * test moves the clock.
 * After a sweep of `limit` rows, the next sweep follows immediately. Sweeps never overlap. A failed sweep is logged and
 * retried.
 * Work without a due time, which should run soon after a transaction, is a job instead (kernel/jobs/jobs.ts).
 */
export class Sweeper {
  readonly #loop: WorkLoop;
  #stop: (() => void) | undefined;

  constructor(
    private readonly deps: SweeperDeps,
    private readonly sweep: Sweep,
  ) {
    const { name, clock, log, limit = DEFAULT_LIMIT } = deps;
    this.#loop = new WorkLoop(async () => (await sweep(clock.now(), limit)) >= limit, log.child({ sweeper: name }));
  }

  start(): void {
    const { name, clock, poller, query } = this.deps;
    this.#stop = poller.add({ name, query, values: () => [clock.now()], found: () => this.#loop.wake(), clock });
    this.#loop.start();
  }

  /** Handles the rows that are due now, without the poller. Returns the number of handled rows. */
  once(): Promise<number> {
    const { clock, limit = DEFAULT_LIMIT } = this.deps;
    return this.sweep(clock.now(), limit);
  }

  /** The table with the due rows. Undefined if the sweeper was created without a table. */
  get due(): SweeperDeps['due'] {
    return this.deps.due;
  }

  /** Handles the due rows of one organization, even if regular sweeps skip the organization. Returns the number of handled rows. */
  handle(organizationId: string): Promise<number> {
    const { clock, limit = DEFAULT_LIMIT } = this.deps;
    return this.sweep(clock.now(), limit, organizationId);
  }

  /** Stops the sweeper. Resolves when the current sweep has ended. */
  stop(): Promise<void> {
    this.#stop?.();
    return this.#loop.stop();
  }
}

/** A table whose rows each have a due time. It contains rows of all organizations. */
export interface DueRows {
  /** Identifies the sweeper in log lines, such as `support.sla`. */
  name: string;
  /**
   * Name of the table with its schema, such as `support.ticket`. The table must have the columns `id` and
   * `organization_id`.
   */
  table: string;
  /** Column with the next due time of the row, or null. The column must have an index. */
  column: `${string}due_at`;
  /** Time for which a failed row is postponed, so that it does not block other rows. */
  postponeMs: number;
  /** Time for which a row is postponed if its organization must wait (`waits`). Default: `postponeMs`. */
  waitMs?: number;
  /**
   * The table of the record that owns the row, and the column of the due table that contains the id of the owner. The
   * owner is locked before the row, as in every transaction that changes both.
   */
  owner?: { table: string; column: string };
}

/**
 * Handles a due row. `tx` is limited to the organization of the row, and its transaction has locked the row and the
 * row's owner. The function must set the next due time or null; otherwise the next sweep takes the row again.
 */
export type DoDue = (tx: EntityManager, id: string, now: Date) => Promise<void>;

export interface DueDeps {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** Returns true if the rows of an organization must wait. While the organization must wait, its due rows are postponed. */
  waits?: ((organizationId: string) => Promise<boolean>) | undefined;
  /** Table of organizations whose rows the sweep skips. */
  except?: string | undefined;
}

/** Returns the SQL condition that leaves out rows of the organizations in the table `except`. Empty without a table. */
export const exceptIn = (except: string | undefined): string =>
  except ? ` and not exists (select from ${quoted(except)} x where x."organization_id" = due."organization_id")` : '';

/** Creates a sweeper for the due rows of a table. */
export function dueSweeper({ database, ...deps }: DueDeps & { database: Database }, due: DueRows, act: DoDue): Sweeper {
  const { name, table, column } = due;
  const query = `select 1 from ${quoted(table)} due where "${column}" <= $1${exceptIn(deps.except)} order by "${column}" limit 1`;
  return new Sweeper({ ...deps, name, poller: database.poller, query, due }, sweepOf(deps, due, act));
}

/**
 * Creates a sweep that handles each row in its own transaction. If a row fails, it is postponed, and the sweep
 * continues with the next row.
 */
export function sweepOf(deps: DueDeps, due: DueRows, act: DoDue): Sweep {
  const { table, column } = due;
  const selectOf = (condition: string): string =>
    `select "id", "organization_id" from ${quoted(table)} due where "${column}" <= $1${condition} order by "${column}" limit $2`;
  const [ofAll, ofOne] = [selectOf(exceptIn(deps.except)), selectOf(' and "organization_id" = $3')];
  return async (now, limit, only) => {
    const found = await (only === undefined
      ? deps.rows.query<FoundRow>(ofAll, [now, limit], PREPARED)
      : deps.rows.query<FoundRow>(ofOne, [now, limit, only], PREPARED));
    let taken = 0;
    for (const row of found) if (await isTaken(deps, due, act, row)) taken += 1;
    return taken;
  };
}

interface FoundRow {
  id: string;
  organization_id: string;
}

/**
 * Handles or postpones one row. Returns false if another process has locked or already handled the row. The sweep does
 * not count such rows, because a full count would start the next sweep immediately.
 */
async function isTaken(
  { orm, rows, clock, log, waits }: DueDeps,
  due: DueRows,
  act: DoDue,
  { id, organization_id }: FoundRow,
): Promise<boolean> {
  const now = clock.now();
  const { table, column, postponeMs, waitMs = postponeMs } = due;
  const putOff = async (ms: number): Promise<void> => {
    const later = new Date(clock.now().getTime() + ms);
    await rows.query(`update ${quoted(table)} set "${column}" = $1 where "id" = $2 and "${column}" <= $3`, [later, id, now]);
  };
  try {
    if (await waits?.(organization_id)) {
      await putOff(waitMs);
      return true;
    }
    return await organizationEm(orm, organization_id).transactional(async (tx) => {
      const isLocked = await lock(tx, due, id, now);
      if (isLocked) await act(tx, id, now);
      return isLocked;
    });
  } catch (error) {
    log.error({ err: error, sweeper: due.name, row: id }, 'a due row could not be handled and will be retried');
    await putOff(postponeMs);
    return true;
  }
}

/**
 * Locks the row if it is still due and not locked by another transaction. The owner is locked first, as in all
 * transactions that lock both; otherwise two transactions could deadlock.
 */
async function lock(tx: EntityManager, { table, column, owner }: DueRows, id: string, now: Date): Promise<boolean> {
  const locked = async (sql: string, values: readonly string[]): Promise<boolean> => {
    const text = `${sql} for update skip locked`;
    return (await tx.execute<object[]>(text, [...values])).length > 0;
  };
  if (owner) {
    const itsId = `(select "${owner.column}" from ${quoted(table)} where "id" = ?)`;
    if (!(await locked(`select 1 from ${quoted(owner.table)} where "id" = ${itsId}`, [id]))) return false;
  }
  return locked(`select 1 from ${quoted(table)} where "id" = ? and "${column}" <= ?`, [id, now.toISOString()]);
}

/** Quotes a table name: `support.ticket` becomes `"support"."ticket"`. */
const quoted = (table: string): string => table.replace(/\w+/g, '"$&"');
