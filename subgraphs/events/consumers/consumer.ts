import type { Database, EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Lease } from '../../../kernel/work/lease.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { EventLog } from '../log/event-log.ts';

const BATCH = 200;

/**
 * A task that processes the events of the log. The changes that `handle` makes in its transaction take effect exactly
 * once.
 */
export interface ConsumerTask<R = void> {
  /** Name of the consumer. It identifies the row of the table `consumer` that contains the cursor. */
  name: string;
  /**
   * Prepares a batch before the transaction of `handle` begins. Statements that are not part of this transaction must
   * run here. In `handle`, they would never finish on the embedded database, which runs them only after the transaction
   * has ended.
   */
  prepare?(events: readonly EventRecord[]): Promise<void>;
  /** Makes changes in the transaction that moves the cursor. Without it, only `prepare` processes the batch. */
  handle?(tx: EntityManager, events: readonly EventRecord[]): Promise<R>;
  /** Called with the result of `handle`, after the transaction of `handle` has committed. */
  committed?(result: R): void;
}

export interface ConsumerDeps {
  orm: Orm;
  rows: Rows;
  database: Pick<Database, 'poller'>;
  eventLog: EventLog;
  leaseOf(name: string): Lease;
  log: Logger;
}

/**
 * Reads the events of the log in the order of their sequences. The cursor moves in the transaction that processes a batch of events, and
 * only if no other process has moved it. So each event takes effect once.
 * A lease lets one of several processes consume. Without it, each process would read and prepare each batch, and all but one in vain.
 */
export class Consumer<R = void> {
  readonly #loop: WorkLoop;
  readonly #table: string;
  readonly #lease: Lease;
  /** The cursor, as long as only this process moves it. */
  #known: { tenure: number; position: number } | undefined;
  #stopPolling: (() => void) | undefined;

  constructor(
    private readonly deps: ConsumerDeps,
    private readonly task: ConsumerTask<R>,
  ) {
    this.#table = `"${deps.orm.config.getAll().schema}"."consumer"`;
    this.#lease = deps.leaseOf(`consumer ${task.name}`);
    const step = async (): Promise<boolean> => (await this.#lease.use((tenure) => this.#step(tenure))) ?? false;
    this.#loop = new WorkLoop(step, deps.log.child({ consumer: task.name }));
  }

  start(): void {
    const { database, eventLog } = this.deps;
    this.#stopPolling = database.poller.add({
      name: `consumer ${this.task.name}`,
      query: eventLog.newer(`(select "last_sequence" from ${this.#table} where "name" = $1)`),
      values: () => [this.task.name],
      found: () => this.#loop.wake(),
    });
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Stops the consumer after its current batch. Another process continues. */
  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.#loop.stop();
    await this.#lease.release();
  }

  async #step(tenure: number): Promise<boolean> {
    const after = this.#known?.tenure === tenure ? this.#known.position : await this.#position();
    this.#known = undefined;
    const events = await this.deps.eventLog.after(after, BATCH);
    const last = events.at(-1)?.sequence ?? after;
    if (events.length > 0) {
      await this.task.prepare?.(events);
      const committed = await this.#process(after, last, events);
      if (!committed) return false;
      committed();
    }
    this.#known = { tenure, position: last };
    return events.length === BATCH;
  }

  /** Reads the cursor. Creates a missing one at the end of the log, so that a new consumer does not process earlier events. */
  async #position(): Promise<number> {
    const { rows, eventLog } = this.deps;
    const { name } = this.task;
    const [cursor] = await rows.query<{ last_sequence: string }>(`select "last_sequence" from ${this.#table} where "name" = $1`, [name]);
    if (cursor) return Number(cursor.last_sequence);
    const values = [name, await eventLog.head()];
    await rows.query(`insert into ${this.#table} ("name", "last_sequence") values ($1, $2) on conflict do nothing`, values);
    return this.#position();
  }

  /** Processes a batch and moves the cursor. Returns what to do after that; undefined if another process has moved it, or is about to. */
  async #process(after: number, last: number, events: readonly EventRecord[]): Promise<(() => void) | undefined> {
    const em = this.deps.orm.em.fork();
    const { task } = this;
    if (!task.handle) return (await this.#move(em, after, last)) ? () => undefined : undefined;
    return em.transactional(async (tx) => {
      const [cursor] = await tx.execute<object[]>(
        `select 1 from ${this.#table} where "name" = ? and "last_sequence" = ? for update skip locked`,
        [task.name, after],
      );
      if (!cursor || !task.handle) return undefined;
      const result = await task.handle(tx, events);
      await this.#move(tx, after, last);
      return () => task.committed?.(result);
    });
  }

  /** Moves the cursor. Returns false if another process has moved it. */
  async #move(em: EntityManager, after: number, last: number): Promise<boolean> {
    const moved = await em.execute<object[]>(
      `update ${this.#table} set "last_sequence" = ? where "name" = ? and "last_sequence" = ? returning 1`,
      [last, this.task.name, after],
    );
    return moved.length > 0;
  }
}
