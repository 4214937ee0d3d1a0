import pg from 'pg';

/** How a URL leads to the server: directly, through a pooler with session pooling, or through a pooler with transaction pooling. */
export type ConnectionMode = 'direct' | 'pooled' | 'pooled by transaction';

const TIMEOUT_MS = 5_000;
/** Other clients of the pooler can hide that a connection is shared, so the check is repeated. */
const TRIES = 5;

/**
 * Opens a connection and returns how it reaches the server.
 * @throws the driver's error
 */
export async function connectionModeOf(connectionString: string): Promise<ConnectionMode> {
  const first = await connected(connectionString);
  try {
    const pid = await serverPid(first);
    // a pooler reports a different process id than the server behind it; without an id nothing can be detected
    if (pid === undefined || pid === (first as { processID?: number }).processID) return 'direct';
    return (await isShared(first, connectionString)) ? 'pooled by transaction' : 'pooled';
  } finally {
    await first.end();
  }
}

/** Returns true if two open connections use the same server session: poolers lend the most recently returned one. */
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
