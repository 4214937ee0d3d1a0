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
import { CommitOutcomeUnknown } from './unavailable.ts';

/** Sees the texts of what is sent together. */
type OnSent = (batch: readonly string[]) => void;

/**
 * Kysely on a pool, with transactions in few round trips. BEGIN, and each INSERT that answers nothing, is kept back until the
 * next statement that somebody waits for, at the latest COMMIT, and sent with it as one message: of which the server does nothing
 * that comes after a statement that it refuses. What it refuses is thrown where the message was waited for: by that later statement,
 * or by the commit. A connection keeps no state beyond its transaction, so that a pooler may stand before the server.
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

/** How long a statement of a transaction waits for somebody else's lock before it fails: longer than others wait for its connection. */
const LOCK_TIMEOUT_MS = 10_000;

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

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).release();
  }
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** An INSERT that answers nothing but that it was done. Where a value reads like a clause it is waited for, which only takes longer. */
const isAnswerless = ({ sql, parameters }: Statement): boolean =>
  parameters.length === 0 && /^insert into [^()]+\([^()]*\) values .*\)$/is.test(sql) && !/\breturning\b|\bon conflict\b/i.test(sql);

const ERRORS = new BasePostgreSqlPlatform().getExceptionConverter();

/** An error as the ORM throws it for a statement. */
const asOfOrm = (error: Error): Error => (error instanceof DriverException ? error : ERRORS.convertException(error));

/** A connection while somebody has it: for one statement or one transaction. */
class Connection implements DatabaseConnection {
  #begin: string | undefined;
  /** Of the transaction, in their order. */
  #keptBack: string[] = [];
  /** Whether a transaction may be open on the server. */
  #isOpen = false;
  /** A transaction on it could not end: it leaves the pool. */
  #isSpent = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly onSent: OnSent,
  ) {}

  begin(sql: string): void {
    this.#begin = sql;
  }

  async executeQuery<R>(statement: CompiledQuery): Promise<QueryResult<R>> {
    if ((this.#begin !== undefined || this.#isOpen) && isAnswerless(statement)) {
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

  /** @throws the error of what was kept back, as the ORM throws it; CommitOutcomeUnknown where the connection was lost meanwhile */
  async commit(): Promise<void> {
    // in which nothing was done
    if (this.#begin !== undefined && this.#keptBack.length === 0) return;
    try {
      const { command } = await this.#send('commit');
      this.#isOpen = false;
      if (command === 'COMMIT') return;
    } catch (error) {
      if (isRefusal(error)) throw asOfOrm(error);
      this.#isSpent = true;
      throw new CommitOutcomeUnknown(error);
    }
    throw new Error('The server rolled the transaction back, because a statement in it had failed.');
  }

  /** Never fails: a connection on which it cannot be done is closed, and the transaction with it. */
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
    // what has parameters is a message of its own
    if (this.#begin !== undefined || this.#keptBack.length > 0) await this.#send();
    this.onSent([sql]);
    return this.client.query(sql, [...parameters]);
  }

  /** Sends what was kept back, and the statement; what the last of them answers. */
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
      // what was kept back is the ORM's, and whoever waits may not be
      throw sql === undefined || batch.length > 1 ? asOfOrm(error as Error) : error;
    }
  }
}

/** Whether the server said that it did nothing; anything else that ends a COMMIT leaves that open. */
const isRefusal = (error: unknown): error is Error => error instanceof Error && 'severity' in error && error.severity === 'ERROR';

const isChange = (command: string): boolean => ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
