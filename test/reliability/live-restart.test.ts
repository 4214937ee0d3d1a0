import { type Client, createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../rig.ts';
import { lastingPort } from '../support/port.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
/** Minimum number of events before each stop of the platform and during each disconnection of the client. */
const EACH = 5;

test('a client that resumes receives every event once and in order across a restart and a crash of the platform', async () => {
  const [dataDir, port] = [temporaryFolder(), await lastingPort()];
  const start = async (): Promise<RunningProcess> => {
    const platform = runPlatform(['--data', dataDir, '--port', String(port)], { BOOTSTRAP_API_KEY: KEY });
    await originOf(platform);
    return platform;
  };
  let platform = await start();
  const tenant = new Tenant(`http://127.0.0.1:${port}`, '', KEY);
  const tickets = new TicketWriter(tenant);
  await tickets.write(1);
  const from = await eventually(async () => (await loggedIds(tenant))[0]);
  // the client reconnects after it has missed EACH events
  const record = follow(tenant, from, () => tickets.write(EACH));
  const exits = [
    ['SIGTERM', { code: 0, signal: null, stderr: '' }],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ] as const;
  for (const [signal, exit] of exits) {
    const seen = record.ids.length;
    void tickets.write(4 * EACH);
    await eventually(() => record.ids.length >= seen + EACH);
    platform.kill(signal);
    expect(await platform.exited).toMatchObject(exit);
    platform = await start();
  }
  const seen = record.ids.length;
  await eventually(() => record.ids.length >= seen + EACH);
  await tickets.write(1);
  const logged = await eventually(async () => {
    const ids = await loggedIds(tenant);
    return record.ids.at(-1) === ids.at(-1) ? ids : undefined;
  });
  expect(record.ids).toEqual(logged.slice(1));
  expect(record.connections).toBe(3);
  expect(record.ended).toBeUndefined();
  await record.leave();
}, 120_000);

/** Creates tickets one after another, and retries while the platform is not running. */
class TicketWriter {
  #isStopped = false;

  constructor(private readonly tenant: Tenant) {
    onTestFinished(() => {
      this.#isStopped = true;
    });
  }

  /** Resolves when `count` more tickets are created. */
  async write(count: number): Promise<void> {
    const body = { title: 'Line is down', description: 'Opened while the platform was restarted' };
    for (let made = 0; made < count && !this.#isStopped; ) {
      const response = await this.tenant.rest('POST', '/support/tickets', { body }).catch(() => undefined);
      if (response?.status === 201) made += 1;
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

interface Recorded {
  ids: string[];
  connections: number;
  /** The close event or error that ended the subscription; undefined if it did not end. */
  ended: unknown;
  leave(): Promise<void>;
}

/** Subscribes to the events after `from`. After a disconnection it reconnects when `away` resolves. */
function follow(tenant: Tenant, from: string, away: () => Promise<void>): Recorded {
  const recorded: Recorded = {
    ids: [],
    connections: 0,
    ended: undefined,
    // errors are ignored, because the client may be reconnecting
    leave: async () => Promise.resolve(client.dispose()).catch(() => undefined),
  };
  const client: Client = createClient({
    url: `${tenant.origin.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { apiKey: KEY },
    retryAttempts: Number.POSITIVE_INFINITY,
    // retry also if the connection is refused, because there is no close event then
    shouldRetry: () => true,
    retryWait: away,
    on: {
      connected() {
        recorded.connections += 1;
      },
    },
  });
  onTestFinished(recorded.leave);
  // the client sends the current value of these variables when it reconnects
  const variables = { after: from };
  client.subscribe<{ events: { id: string } }>(
    { query: 'subscription ($after: ID) { events(after: $after) { id } }', variables },
    {
      next({ data }) {
        variables.after = data?.events.id ?? '';
        recorded.ids.push(variables.after);
      },
      error(error) {
        recorded.ended = error;
      },
      complete() {
        recorded.ended ??= 'completed';
      },
    },
  );
  return recorded;
}

/** The ids of all events of the organization, oldest first. */
async function loggedIds(tenant: Tenant): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = 'query ($cursor: String) { events(page: { limit: 200, cursor: $cursor }) { nodes { id } pageInfo { nextCursor } } }';
    const { data } = await tenant.graphql(query, { cursor });
    ids.push(...data.events.nodes.map(({ id }: { id: string }) => id));
    cursor = data.events.pageInfo.nextCursor;
  } while (cursor !== null);
  return ids.reverse();
}
