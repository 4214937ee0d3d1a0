import type { PGlite, Transaction } from '@electric-sql/pglite';
import pg from 'pg';

/** Runs statements in one session, or in one transaction of it. */
export interface Statements {
  query<R extends object>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Runs a text without parameters, which may contain several statements. */
  execute(text: string): Promise<void>;
}

/** One database session, for statements that change schemas. */
export interface Session extends Statements, AsyncDisposable {
  transaction<T>(act: (tx: Statements) => Promise<T>): Promise<T>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection outside any pool. Closing it releases all its locks, also when the process is killed. The role's statement_timeout
 * for requests does not apply to migrations.
 */
export async function serverSession(connectionString: string): Promise<Session> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'migrations',
    keepAlive: true,
  });
  let lost: Error | undefined;
  // without a listener, losing an idle connection would end the process; the next statement reports it
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
        // fails only if the connection, and with it the transaction, is lost
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}

/** A session of the embedded database, which has only one and stays open. */
export function embeddedSession(pglite: PGlite): Session {
  return {
    ...statementsOf(pglite),
    transaction: (act) => pglite.transaction((tx) => act(statementsOf(tx))),
    async [Symbol.asyncDispose]() {
      // nothing to close
    },
  };
}

const statementsOf = (database: PGlite | Transaction): Statements => ({
  query: async <R extends object>(text: string, values: readonly unknown[] = []) => (await database.query<R>(text, [...values])).rows,
  execute: async (text) => void (await database.exec(text)),
});
