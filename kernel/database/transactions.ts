import { AsyncLocalStorage } from 'node:async_hooks';
import { DriverException } from '@mikro-orm/core';
import { BasePostgreSqlPlatform } from '@mikro-orm/sql';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { type Notification, notificationOf } from './notifier.ts';
import { CommitOutcomeUnknown, isRefusal } from './unavailable.ts';

interface Observer {
  /** Called with the texts of the statements that are sent in one message. */
  sent(batch: readonly string[]): void;
  /** Called with each notification of a transaction that was committed. */
  notified(notification: Notification): void;
}

/**
 * Kysely dialect for a pool, with few round trips per transaction.
 * It holds back BEGIN, and each statement that returns no result (`hasNoResult`) or whose result is not needed
 * (`withoutResult`). They are sent as one message, together with the next other statement or with COMMIT. If the other
 * statement has parameters, it follows in its own message.
 * If the server refuses a statement, it skips the rest of the message. The error is thrown by the call that sent the
 * message.
 * Notifications are not sent in the transaction, but reported to `observer` after the commit.
 * After a transaction, the connection keeps no state, so a pooler can be used.
 */
export class TransactionDialect extends PostgresDialect {
  constructor(
    private readonly pool: pg.Pool,
    private readonly observer: Observer,
  ) {
    super({ pool });
  }

  override createDriver(): Driver {
    return new TransactionDriver(this.pool, this.observer);
  }
}

/**
 * Time for which a statement of a transaction waits for a lock before it fails. It is longer than the wait for a free connection of the
 * pool (CONNECT_TIMEOUT_MS in pool.ts).
 */
const LOCK_TIMEOUT_MS = 10_000;

type SavepointArguments = Parameters<PostgresDriver['rollbackToSavepoint']> extends [unknown, ...infer Rest] ? Rest : never;

class TransactionDriver extends PostgresDriver {
  constructor(
    private readonly pool: pg.Pool,
    private readonly observer: Observer,
  ) {
    super({ pool });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(await this.pool.connect(), this.observer);
  }

  override async beginTransaction(connection: Connection, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean);
    connection.begin(`${['begin', ...modes].join(' ')}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }

  override commitTransaction(connection: Connection): Promise<void> {
    return connection.commit();
  }

  override rollbackTransaction(connection: Connection): Promise<void> {
    return connection.rollback();
  }

  override rollbackToSavepoint(connection: Connection, ...rest: SavepointArguments): Promise<void> {
    connection.forget();
    return super.rollbackToSavepoint(connection, ...rest);
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).release();
  }
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/**
 * Returns true for an INSERT without parameters that has neither RETURNING nor ON CONFLICT. Returns false if a value contains one of these
 * words; the INSERT is then sent immediately, which costs one round trip.
 */
const hasNoResult = ({ sql, parameters }: Statement): boolean =>
  parameters.length === 0 && /^insert into [^()]+\([^()]*\) values .*\)$/is.test(sql) && !/\breturning\b|\bon conflict\b/i.test(sql);

/** Returns true if the result of a statement is not needed. The rows of a RETURNING clause are always needed. */
const isUnread = ({ sql, parameters }: Statement): boolean =>
  parameters.length === 0 && unread.getStore() === true && !/\breturning\b/i.test(sql);

const ERRORS = new BasePostgreSqlPlatform().getExceptionConverter();

/** Converts an error of the driver to the error class that the ORM throws. */
const asOfOrm = (error: Error): Error => (error instanceof DriverException ? error : ERRORS.convertException(error));

const unread = new AsyncLocalStorage<true>();

/** Runs `act`. In a transaction on a server, the statements of `act` without parameters are held back, and return no rows. */
export const withoutResult = <T>(act: () => Promise<T>): Promise<T> => unread.run(true, act);

/** A connection that is taken from the pool for one statement or one transaction. */
class Connection implements DatabaseConnection {
  #begin: string | undefined;
  /** Statements of the transaction that have not been sent yet, oldest first. */
  #keptBack: string[] = [];
  /** Notifications of the transaction. Those of a savepoint that was rolled back are sent too, because a needless one does no harm. */
  readonly #notifications: Notification[] = [];
  /** True if a transaction may be open on the server. */
  #isOpen = false;
  /** True if a COMMIT failed without a response, or a ROLLBACK failed. The connection is then removed from the pool. */
  #isSpent = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly observer: Observer,
  ) {}

  /** Drops the statements that are held back. All of them are newer than the last savepoint, because a savepoint is sent immediately. */
  forget(): void {
    this.#keptBack = [];
  }

  begin(sql: string): void {
    this.#begin = sql;
  }

  async executeQuery<R>(statement: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#begin !== undefined || this.#isOpen) {
      const notification = notificationOf(statement.sql);
      if (notification) this.#notifications.push(notification);
      else if (hasNoResult(statement) || isUnread(statement)) this.#keptBack.push(statement.sql);
      else return this.#resultOf<R>(statement);
      return { rows: [] };
    }
    return this.#resultOf<R>(statement);
  }

  async #resultOf<R>(statement: Statement): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#run(statement);
    return { numAffectedRows: isChange(command) ? BigInt(rowCount ?? 0) : undefined, rows: rows as R[] };
  }

  // biome-ignore lint/correctness/useYield: there is no cursor
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Rows are not streamed.');
  }

  /**
   * Commits the transaction.
   * @throws Error of the ORM if a statement that was held back failed; CommitOutcomeUnknown if the connection was lost
   * during the commit
   */
  async commit(): Promise<void> {
    // no statement was executed, so BEGIN has not been sent either
    if (this.#begin !== undefined && this.#keptBack.length === 0) return this.#notify();
    try {
      const { command } = await this.#send('commit');
      this.#isOpen = false;
      if (command === 'COMMIT') return this.#notify();
    } catch (error) {
      // any other failure leaves the outcome unknown
      if (isRefusal(error)) throw asOfOrm(error);
      this.#isSpent = true;
      throw new CommitOutcomeUnknown(error);
    }
    throw new Error('The server rolled the transaction back, because a statement in it had failed.');
  }

  #notify(): void {
    for (const notification of this.#notifications) this.observer.notified(notification);
  }

  /**
   * Rolls the transaction back. Never throws: if the rollback fails, the connection is closed, which ends the
   * transaction.
   */
  async rollback(): Promise<void> {
    if (!this.#isOpen || this.#isSpent) return;
    this.#isOpen = false;
    await this.client.query('rollback').catch(() => {
      this.#isSpent = true;
    });
  }

  release(): void {
    this.client.release(this.#isSpent);
  }

  async #run({ sql, parameters }: Statement): Promise<pg.QueryResult> {
    if (parameters.length === 0) return this.#send(sql);
    // a statement with parameters must be sent in its own message
    if (this.#begin !== undefined || this.#keptBack.length > 0) await this.#send();
    this.observer.sent([sql]);
    return this.client.query(sql, [...parameters]);
  }

  /** Sends the held-back statements and then `sql`. Returns the result of the last statement. */
  async #send(sql?: string): Promise<pg.QueryResult> {
    const batch = [this.#begin, ...this.#keptBack, sql].filter((text) => text !== undefined);
    if (this.#begin !== undefined) this.#isOpen = true;
    this.#begin = undefined;
    this.#keptBack = [];
    this.observer.sent(batch);
    try {
      const results: pg.QueryResult | pg.QueryResult[] = await this.client.query(batch.join(';\n'));
      return Array.isArray(results) ? (results.at(-1) as pg.QueryResult) : results;
    } catch (error) {
      // the ORM created the held-back statements, so their errors must be errors of the ORM, even if other code created
      // the last statement
      throw sql === undefined || batch.length > 1 ? asOfOrm(error as Error) : error;
    }
  }
}

const isChange = (command: string): boolean => ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
