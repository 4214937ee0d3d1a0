import type { PGlite, Transaction } from '@electric-sql/pglite';
import pg from 'pg';

/** Statements of one session, or of one transaction in it. */
export interface Statements {
  query<R extends object>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Runs a text without parameters, which may hold several statements. */
  execute(text: string): Promise<void>;
}

/** One session of a database, for statements that define its schemas. */
export interface Session extends Statements, AsyncDisposable {
  transaction<T>(act: (tx: Statements) => Promise<T>): Promise<T>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A connection of its own, not from a pool: closing it gives back every lock that it holds, also when the process is killed. What the
 * role limits for requests (statement_timeout) does not hold for migrations.
 */
export async function serverSession(connectionString: string): Promise<Session> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'migrations',
    keepAlive: true,
  });
  let lost: Error | undefined;
  // without a listener the loss of an idle connection would end the process; the next statement reports it
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  const statements: Statements = {
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
    execute: async (text) => {
      if (lost) throw lost;
      await client.query(text);
    },
  };
  await statements.execute('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  return {
    ...statements,
    async transaction(act) {
      await client.query('begin');
      try {
        const result = await act(statements);
        await client.query('commit');
        return result;
      } catch (error) {
        // fails only where the connection is lost, and with it the transaction
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}

/** The embedded database has one session, which stays open. */
export function embeddedSession(pglite: PGlite): Session {
  return {
    ...statementsOf(pglite),
    transaction: (act) => pglite.transaction((tx) => act(statementsOf(tx))),
    async [Symbol.asyncDispose]() {
      // nothing of its own to close
    },
  };
}

const statementsOf = (database: PGlite | Transaction): Statements => ({
  query: async <R extends object>(text: string, values: readonly unknown[] = []) => (await database.query<R>(text, [...values])).rows,
  execute: async (text) => void (await database.exec(text)),
});
