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
import { CommitOutcomeUnknown, isRefusal } from './unavailable.ts';

/** Called with the texts of the statements that are sent in one message. */
type OnSent = (batch: readonly string[]) => void;

/**
 * Kysely dialect for a pool, with few round trips per transaction.
 * It holds back BEGIN, and each statement that returns no result (`hasNoResult`) or whose result is not needed
 * (`withoutResult`). They are sent as one message, together with the next other statement or with COMMIT. If the other
 * statement has parameters, it follows in its own message.
 * If the server refuses a statement, it skips the rest of the message. The error is thrown by the call that sent the
 * message.
 * After a transaction, the connection keeps no state, so a pooler can be used.
 */
export class TransactionDialect extends PostgresDialect {
  constructor(
    private readonly pool: pg.Pool,
    private readonly onSent: OnSent,
  ) {
    super({ pool });
  }

  override createDriver(): Driver {
    return new TransactionDriver(this.pool, this.onSent);
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
    private readonly onSent: OnSent,
  ) {
    super({ pool });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(await this.pool.connect(), this.onSent);
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
 * Returns true for a notification, and for an INSERT without parameters that has neither RETURNING nor ON CONFLICT.
 * Returns false if a value contains one of these words; the INSERT is then sent immediately, which costs one round trip.
 */
const hasNoResult = ({ sql, parameters }: Statement): boolean =>
  parameters.length === 0 &&
  (sql.startsWith('select pg_notify(') ||
    (/^insert into [^()]+\([^()]*\) values .*\)$/is.test(sql) && !/\breturning\b|\bon conflict\b/i.test(sql)));

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
  /** True if a transaction may be open on the server. */
  #isOpen = false;
  /** True if a COMMIT failed without a response, or a ROLLBACK failed. The connection is then removed from the pool. */
  #isSpent = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly onSent: OnSent,
  ) {}

  /** Drops the statements that are held back. All of them are newer than the last savepoint, because a savepoint is sent immediately. */
  forget(): void {
    this.#keptBack = [];
  }

  begin(sql: string): void {
    this.#begin = sql;
  }

  async executeQuery<R>(statement: CompiledQuery): Promise<QueryResult<R>> {
    if ((this.#begin !== undefined || this.#isOpen) && (hasNoResult(statement) || isUnread(statement))) {
      this.#keptBack.push(statement.sql);
      return { rows: [] };
    }
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
    if (this.#begin !== undefined && this.#keptBack.length === 0) return;
    try {
      const { command } = await this.#send('commit');
      this.#isOpen = false;
      if (command === 'COMMIT') return;
    } catch (error) {
      // any other failure leaves the outcome unknown
      if (isRefusal(error)) throw asOfOrm(error);
      this.#isSpent = true;
      throw new CommitOutcomeUnknown(error);
    }
    throw new Error('The server rolled the transaction back, because a statement in it had failed.');
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
    this.onSent([sql]);
    return this.client.query(sql, [...parameters]);
  }

  /** Sends the held-back statements and then `sql`. Returns the result of the last statement. */
  async #send(sql?: string): Promise<pg.QueryResult> {
    const batch = [this.#begin, ...this.#keptBack, sql].filter((text) => text !== undefined);
    if (this.#begin !== undefined) this.#isOpen = true;
    this.#begin = undefined;
    this.#keptBack = [];
    this.onSent(batch);
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
