import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';
import { WorkLoop } from '../work/work-loop.ts';
import type { EntityManager, Orm } from './database.ts';

/** Pause between two batches, so that requests have priority. */
const REST_MS = 20;
/** Delay before a retry if another process does the backfill, or if rows are locked. */
const WAIT_MS = 1000;

/**
 * Returns the SQL by which a migration registers a backfill. After the migration, the backfill converts rows in
 * batches, while processes of the previous release still run. `where` is an SQL condition that is true if there are
 * rows to convert.
 */
export const backfill = (schema: string, name: string, where: string): string[] => [
  `create table if not exists "${schema}"."backfill" ("name" text primary key, "position" jsonb null)`,
  `insert into "${schema}"."backfill" ("name") select '${name}' where ${where}`,
];

/** Position of the next batch: the key of the last converted row; null at the beginning. */
export type Position = readonly string[] | null;

/**
 * Converts the next batch: rows after the key `from`. Runs in the transaction `tx`, in which the backfill also stores
 * the returned position. Returns the key of the last converted row. Returns null if no rows remain. Returns `from` if
 * the next rows are locked; the backfill then tries again after a second.
 */
export type ConvertBatch = (tx: EntityManager, from: Position) => Promise<Position>;

interface BackfillDeps {
  orm: Orm;
  log: Logger;
}

/**
 * Converts the rows of a backfill that a migration registered (`backfill`). Only one process converts rows at a time;
 * if this process stops, another process continues. After all rows are converted, the backfill no longer runs or polls.
 */
export class Backfill {
  readonly #loop: WorkLoop;
  #isDone = false;

  constructor(
    private readonly deps: BackfillDeps,
    private readonly name: string,
    private readonly convert: ConvertBatch,
  ) {
    this.#loop = new WorkLoop(() => this.#batch(), deps.log.child({ backfill: name }));
  }

  /** True if this process has found that all rows are converted. */
  get isDone(): boolean {
    return this.#isDone;
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops the backfill. Resolves when the current batch has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Converts one batch. Returns true if the next batch can follow immediately. */
  async #batch(): Promise<boolean> {
    const { orm, log } = this.deps;
    const table = `"${orm.config.getAll().schema}"."backfill"`;
    const outcome = await orm.em.fork().transactional(async (tx) => {
      const [row] = await tx.execute<{ position: Position }[]>(`select "position" from ${table} where "name" = ? for update skip locked`, [
        this.name,
      ]);
      if (!row) {
        const isLeft = (await tx.execute<object[]>(`select from ${table} where "name" = ?`, [this.name])).length > 0;
        return isLeft ? 'wait' : 'done';
      }
      const next = await this.convert(tx, row.position);
      if (next === null) {
        await tx.execute(`delete from ${table} where "name" = ?`, [this.name]);
        log.info({ backfill: this.name }, 'all rows of a migration are converted');
        return 'done';
      }
      await tx.execute(`update ${table} set "position" = ?::text::jsonb where "name" = ?`, [JSON.stringify(next), this.name]);
      return String(next) === String(row.position) ? 'wait' : 'more';
    });
    if (outcome === 'done') {
      this.#isDone = true;
      void this.#loop.stop();
    }
    if (outcome === 'wait') setTimeout(() => this.#loop.wake(), WAIT_MS).unref();
    if (outcome !== 'more') return false;
    await delay(REST_MS);
    return true;
  }
}
