import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const TICKETS = 200;
const KILL_AFTER = 70;
const AT_ONCE = 8;

interface Delivery {
  event: string;
  data: { ticket: { id: string; number: string; title: string } };
}

const deliveries: Delivery[] = [];
let receiver: Server;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    deliveries.push(JSON.parse(await text(request)) as Delivery);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});

afterAll(() => void receiver.close());

test('if a platform is killed while it creates tickets, each ticket whose request got 201 is kept, and its event is delivered', async () => {
  const dataDir = temporaryFolder();
  const first = start(dataDir);
  const tenant = new Tenant(await originOf(first), '', KEY);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  expect((await tenant.rest('POST', '/webhooks', { body: { url, events: ['ticket.created'] } })).status).toBe(201);

  const answered = await createUntilKilled(tenant, () => end(first, 'SIGKILL'));
  expect(answered.length).toBeGreaterThanOrEqual(KILL_AFTER);
  expect(answered.length).toBeLessThan(TICKETS);

  const second = start(dataDir);
  const stored = await allTickets(new Tenant(await originOf(second), '', KEY));
  const ids = new Set(stored.map(({ id }) => id));
  expect(answered.filter((id) => !ids.has(id))).toEqual([]);
  // every stored ticket is complete, with or without a 201 response: it has a number, an assignee and an event
  expect(new Set(stored.map(({ number }) => number)).size).toBe(stored.length);
  const delivered = await eventually(() => {
    const known = new Set(deliveries.map(({ data }) => data.ticket.id));
    return stored.every(({ id }) => known.has(id)) ? [...known] : undefined;
  }, 30_000);
  expect(delivered.sort()).toEqual([...ids].sort());
  expect(await end(second, 'SIGINT')).toMatchObject({ code: 0, signal: null });
}, 120_000);

const start = (dataDir: string): RunningProcess =>
  runPlatform(['--data', dataDir, '--port', '0'], { ALLOW_PRIVATE_URLS: '1', BOOTSTRAP_API_KEY: KEY });

function end(platform: RunningProcess, signal: NodeJS.Signals): RunningProcess['exited'] {
  platform.kill(signal);
  return platform.exited;
}

/** Creates tickets concurrently, and kills the platform after `KILL_AFTER` of them. Returns the ids of tickets with a 201 response. */
async function createUntilKilled(tenant: Tenant, kill: () => Promise<unknown>): Promise<string[]> {
  const answered: string[] = [];
  let next = 0;
  let killed: Promise<unknown> | undefined;
  const worker = async (): Promise<void> => {
    while (next < TICKETS && !killed) {
      const title = `Ticket ${next++}`;
      const answer = await tenant
        .rest('POST', '/support/tickets', { body: { title, description: 'Made while the platform was killed' } })
        .catch(() => undefined);
      if (answer?.status === 201) answered.push(answer.body.ticket.id);
      if (answered.length >= KILL_AFTER) killed ??= kill();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await killed;
  return answered;
}

async function allTickets(tenant: Tenant): Promise<{ id: string; number: string }[]> {
  const found: { id: string; number: string }[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = `query ($cursor: String) { tickets(page: { limit: 200, cursor: $cursor }) { nodes { id number assignedTo { agentId } } pageInfo { nextCursor } } }`;
    const { data } = await tenant.graphql(query, { cursor: cursor || null });
    found.push(...data.tickets.nodes);
    cursor = data.tickets.pageInfo.nextCursor;
  }
  return found;
}
