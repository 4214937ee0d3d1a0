import pg from 'pg';

/** How a URL leads to the server: straight, past a pooler that keeps a connection for each session, or one that lends it for a transaction. */
export type Way = 'direct' | 'pooled' | 'pooled by transaction';

const TIMEOUT_MS = 5_000;
/** Others who use the pooler meanwhile can hide that a connection is shared. */
const TRIES = 5;

/** Opens a connection and says how it led there. @throws the driver's error */
export async function reach(connectionString: string): Promise<Way> {
  const first = await connected(connectionString);
  try {
    const pid = await serverPid(first);
    // a pooler says another process id than the server behind it; of what says none, nothing is known
    if (pid === undefined || pid === (first as { processID?: number }).processID) return 'direct';
    return (await isShared(first, connectionString)) ? 'pooled by transaction' : 'pooled';
  } finally {
    await first.end();
  }
}

/** Whether two open connections are the same session of the server: poolers lend the one that was given back last. */
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
