import type { PGlite, Transaction } from '@electric-sql/pglite';
import pg from 'pg';

/** Runs statements in one session, or in one transaction of that session. */
export interface Statements {
  query<R extends object>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Runs a text that may contain several statements, without parameters. */
  execute(text: string): Promise<void>;
}

/** One database session, for statements that change schemas. */
export interface Session extends Statements, AsyncDisposable {
  transaction<T>(act: (tx: Statements) => Promise<T>): Promise<T>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection outside of the pools. The locks of the connection are released when it is closed, even if the
 * process is killed. The role's `statement_timeout`, which is meant for requests, does not apply to migrations.
 */
export async function serverSession(connectionString: string): Promise<Session> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'migrations',
    keepAlive: true,
  });
  let lost: Error | undefined;
  // without a listener, the loss of an idle connection would end the process; the next statement reports the loss
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
        // the rollback fails only if the connection is lost; the server then ends the transaction
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}

/** Returns the session of the embedded database. The database has only one session, which stays open. */
export function embeddedSession(pglite: PGlite): Session {
  return {
    ...statementsOf(pglite),
    transaction: (act) => pglite.transaction((tx) => act(statementsOf(tx))),
    async [Symbol.asyncDispose]() {
      // the session stays open
    },
  };
}

const statementsOf = (database: PGlite | Transaction): Statements => ({
  query: async <R extends object>(text: string, values: readonly unknown[] = []) => (await database.query<R>(text, [...values])).rows,
  execute: async (text) => void (await database.exec(text)),
});
