import pg from 'pg';

/**
 * Connection mode of a URL: connections reach the server directly, through a pooler with session pooling, or through a pooler with
 * transaction pooling.
 */
export type ConnectionMode = 'direct' | 'pooled' | 'pooled by transaction';

const TIMEOUT_MS = 5_000;
/**
 * Maximum number of checks whether two connections share a server session. A single check may not detect a shared
 * session, because other clients of the pooler use the session too.
 */
const TRIES = 5;

/**
 * Opens a connection and returns its mode.
 * @throws Error of the driver if the server cannot be reached
 */
export async function connectionModeOf(connectionString: string): Promise<ConnectionMode> {
  const first = await connected(connectionString);
  try {
    const pid = await serverPid(first);
    // when a connection opens, a pooler sends another process id than that of the server process; if no process id was
    // sent, no pooler can be detected
    if (pid === undefined || pid === (first as { processID?: number }).processID) return 'direct';
    return (await isShared(first, connectionString)) ? 'pooled by transaction' : 'pooled';
  } finally {
    await first.end();
  }
}

/**
 * Opens a second connection, and returns true if both connections use the same server session. A pooler in transaction
 * mode assigns the session that was returned last, so both connections get the same session.
 */
async function isShared(first: pg.Client, connectionString: string): Promise<boolean> {
  const second = await connected(connectionString);
  try {
    for (let tries = 0; tries < TRIES; tries++) if ((await serverPid(first)) === (await serverPid(second))) return true;
    return false;
  } finally {
    await second.end();
  }
}

async function serverPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: TIMEOUT_MS });
  await client.connect();
  return client;
}
