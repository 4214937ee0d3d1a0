import type { Clock } from '../clock.ts';
import type { Database, EntityManager, Orm, Rows } from '../database/database.ts';
import { PREPARED } from '../database/statements.ts';
import type { Logger } from '../log/log.ts';
import { WorkLoop } from '../work/work-loop.ts';
import type { WorkPoller } from '../work/work-poller.ts';
import { organizationEm } from './organization-filter.ts';

const DEFAULT_LIMIT = 100;

export interface SweeperDeps {
  /** Names its log lines, such as `support.sla`. */
  name: string;
  clock: Clock;
  log: Logger;
  /** Of the database in which things fall due. */
  poller: Pick<WorkPoller, 'add'>;
  /** Selects something where anything is due at `$1`. */
  query: string;
  /** How many rows one sweep takes at most. */
  limit?: number;
}

/**
 * Handles what is due at `now`, the earliest first, at most `limit` rows, and answers how many it took. All processes sweep side
 * by side, so it takes its rows with `for update skip locked` and does them in that transaction: what commits is done once. A
 * row that cannot be handled must be moved out of the way (a later due instant), else it is taken first for ever. `sweepOf` is
 * one for the rows of a table.
 */
export type Sweep = (now: Date, limit: number) => Promise<number>;

/**
 * Handles what falls due at a stored instant, such as a service level that is breached: the poller finds it within a second, at
 * once when the clock was moved. A full sweep is followed by the next one at once; one never begins before the last has ended;
 * one that fails is logged and tried again. What merely has to happen soon after a transaction is a job instead (kernel/jobs/jobs.ts).
 */
export class Sweeper {
  readonly #loop: WorkLoop;
  #stop: (() => void) | undefined;

  constructor(
    private readonly deps: SweeperDeps,
    sweep: Sweep,
  ) {
    const { name, clock, log, limit = DEFAULT_LIMIT } = deps;
    this.#loop = new WorkLoop(async () => (await sweep(clock.now(), limit)) >= limit, log.child({ sweeper: name }));
  }

  start(): void {
    const { name, clock, poller, query } = this.deps;
    this.#stop = poller.add({ name, query, values: () => [clock.now()], found: () => this.#loop.wake(), clock });
    this.#loop.start();
  }

  /** Resolves when the sweep that is under way has ended; none begins after. */
  stop(): Promise<void> {
    this.#stop?.();
    return this.#loop.stop();
  }
}

/** Rows of all organizations that fall due, each at an instant of its own. */
export interface DueRows {
  /** Names log lines, such as `support.sla`. */
  name: string;
  /** With its schema, such as `support.ticket`; it has the columns `id` and `organization_id`. */
  table: string;
  /** When a row is next to be done; null where it is not. Has an index. */
  column: `${string}due_at`;
  /** How long a row is left alone that could not be done, so that it does not stand in the way of the others. */
  postponeMs: number;
  /** After how long it is asked again whether a row of an organization waits. Default: `postponeMs`. */
  waitMs?: number;
  /** The record that such a row belongs to and its column here: locked first, as by whoever else changes the two. */
  owner?: { table: string; column: string };
}

/**
 * Does what is due of a row, in the transaction that has locked it (and its owner before), among the records of its
 * organization. It says when the row is next to be done, or never: what is left due is taken again by the next sweep.
 */
export type DoDue = (tx: EntityManager, id: string, now: Date) => Promise<void>;

export interface DueDeps {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** Whether the rows of an organization wait: they are put off, and it is asked again. */
  waits?: ((organizationId: string) => Promise<boolean>) | undefined;
}

/** A sweeper of the rows of a table. */
export function dueSweeper({ database, ...deps }: DueDeps & { database: Database }, due: DueRows, act: DoDue): Sweeper {
  const { name, table, column } = due;
  const query = `select 1 from ${quoted(table)} where "${column}" <= $1 order by "${column}" limit 1`;
  return new Sweeper({ ...deps, name, poller: database.poller, query }, sweepOf(deps, due, act));
}

/** Does each row in a transaction of its own; one that fails is put off, and the others are done. */
export function sweepOf(deps: DueDeps, due: DueRows, act: DoDue): Sweep {
  const { table, column } = due;
  const select = `select "id", "organization_id" from ${quoted(table)} where "${column}" <= $1 order by "${column}" limit $2`;
  return async (now, limit) => {
    const found = await deps.rows.query<FoundRow>(select, [now, limit], PREPARED);
    let taken = 0;
    for (const row of found) if (await isTaken(deps, due, act, row)) taken += 1;
    return taken;
  };
}

interface FoundRow {
  id: string;
  organization_id: string;
}

/** False where another process has the row, or has done it: nothing is left to do here, nor to look for at once. */
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
    log.error({ err: error, sweeper: due.name, row: id }, 'what is due could not be done and will be tried again');
    await putOff(postponeMs);
    return true;
  }
}

/** Whether it is due still, and nobody else is at it: the owner before the row, so that of two who want both one waits for the other. */
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

/** `support.ticket` is `"support"."ticket"`. */
const quoted = (table: string): string => table.replace(/\w+/g, '"$&"');
