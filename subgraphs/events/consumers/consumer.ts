import type { Database, EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
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
  handle(tx: EntityManager, events: readonly EventRecord[]): Promise<R>;
  /** Called with the result of `handle`, after the transaction of `handle` has committed. */
  committed?(result: R): void;
}

export interface ConsumerDeps {
  orm: Orm;
  rows: Rows;
  database: Pick<Database, 'poller'>;
  eventLog: EventLog;
  log: Logger;
}

/**
 * Reads the events of the log in the order of their sequences. The transaction that processes a batch of events also
 * moves the cursor. Only one process consumes at a time, because this transaction locks the row of the cursor. If the
 * process crashes, the database releases the lock.
 */
export class Consumer<R = void> {
  readonly #loop: WorkLoop;
  readonly #table: string;
  #stopPolling: (() => void) | undefined;

  constructor(
    private readonly deps: ConsumerDeps,
    private readonly task: ConsumerTask<R>,
  ) {
    this.#loop = new WorkLoop(() => this.#step(), deps.log.child({ consumer: task.name }));
    this.#table = `"${deps.orm.config.getAll().schema}"."consumer"`;
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

  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.#loop.stop();
  }

  async #step(): Promise<boolean> {
    const { orm, rows, eventLog } = this.deps;
    const [cursor] = await rows.query<{ last_sequence: string }>(`select "last_sequence" from ${this.#table} where "name" = $1`, [
      this.task.name,
    ]);
    if (!cursor) {
      await this.#begin();
      return true;
    }
    const after = Number(cursor.last_sequence);
    const events = await eventLog.after(after, BATCH);
    if (events.length === 0) return false;
    await this.task.prepare?.(events);
    const done = await orm.em.fork().transactional((tx) => this.#batch(tx, after, events));
    if (!done) return false;
    this.task.committed?.(done.result);
    return events.length === BATCH;
  }

  /** Creates the cursor at the end of the log, so that a new consumer does not process earlier events. */
  async #begin(): Promise<void> {
    const { rows, eventLog } = this.deps;
    const values = [this.task.name, await eventLog.head()];
    await rows.query(`insert into ${this.#table} ("name", "last_sequence") values ($1, $2) on conflict do nothing`, values);
  }

  /** Processes a batch. Returns undefined if another process has the lock, or has moved the cursor since the events were read. */
  async #batch(tx: EntityManager, after: number, events: readonly EventRecord[]): Promise<{ result: R } | undefined> {
    const { name } = this.task;
    const [cursor] = await tx.execute<object[]>(
      `select 1 from ${this.#table} where "name" = ? and "last_sequence" = ? for update skip locked`,
      [name, after],
    );
    if (!cursor) return undefined;
    const result = await this.task.handle(tx, events);
    await tx.execute(`update ${this.#table} set "last_sequence" = ? where "name" = ?`, [events.at(-1)?.sequence, name]);
    return { result };
  }
}
