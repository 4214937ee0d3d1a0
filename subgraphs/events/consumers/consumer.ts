import type { EntityManager, Orm } from '../../../kernel/database.ts';
import type { Logger } from '../../../kernel/log.ts';
import { Pump } from '../../../kernel/pump.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { EventLog } from '../log/event.log.ts';

const BATCH = 200;

/** What is done about the events of the log, each exactly once as far as it is done in the transaction. */
export interface ConsumerTask<R = void> {
  /** Its cursor's name; a row of the table `consumer`. */
  name: string;
  handle(tx: EntityManager, events: readonly EventRecord[]): Promise<R>;
  /** Called once what `handle` did is committed. */
  committed?(result: R): void;
}

export interface ConsumerDeps {
  orm: Orm;
  eventLog: EventLog;
  log: Logger;
}

/**
 * Reads the log in order and moves its cursor in the transaction of its effects. One process consumes at a time, the others
 * stand by: whoever holds the cursor's row has the turn, and a crash lets go of it.
 */
export class Consumer<R = void> {
  readonly #pump: Pump;
  readonly #table: string;

  constructor(
    private readonly deps: ConsumerDeps,
    private readonly task: ConsumerTask<R>,
  ) {
    this.#pump = new Pump(() => this.#step(), deps.log.child({ consumer: task.name }));
    this.#table = `"${deps.orm.config.getAll().schema}"."consumer"`;
  }

  start(): void {
    this.#pump.start();
  }

  wake(): void {
    this.#pump.wake();
  }

  async stop(): Promise<void> {
    await this.#pump.stop();
  }

  async #step(): Promise<boolean> {
    const done = await this.deps.orm.em.fork().transactional((tx) => this.#batch(tx));
    if (!done) return false;
    this.task.committed?.(done.result);
    return done.isFull;
  }

  async #batch(tx: EntityManager): Promise<{ result: R; isFull: boolean } | undefined> {
    const { name } = this.task;
    const [cursor] = await tx.execute<{ last_sequence: string }[]>(
      `select "last_sequence" from ${this.#table} where "name" = ? for update skip locked`,
      [name],
    );
    if (!cursor) return undefined;
    const events = await this.deps.eventLog.afterIn(tx, Number(cursor.last_sequence), BATCH);
    const last = events.at(-1);
    if (!last) return undefined;
    const result = await this.task.handle(tx, events);
    await tx.execute(`update ${this.#table} set "last_sequence" = ? where "name" = ?`, [last.sequence, name]);
    return { result, isFull: events.length === BATCH };
  }
}
