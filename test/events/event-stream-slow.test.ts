import type { FastifyInstance } from 'fastify';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { mountEventStream } from '../../rest-bridge/event-stream.ts';
import { CredentialWatch } from '../../router/credential-watch.ts';
import { createServer } from '../../router/edge/server.ts';
import { LiveCaps } from '../../router/live-caps.ts';
import { LocalTransport } from '../../router/local-transport.ts';
import { createRouter } from '../../router/router.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { SseClient } from './sse.client.ts';

/** The platform that provides the subgraphs and the event log. Each test starts its own server, which has a small buffer. */
let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const log = createLogger({ level: 'silent' });
const PADDING = 'x'.repeat(128 * 1024);

interface Server {
  app: FastifyInstance;
  organizationId: string;
  subscribers(): number;
  open(headers?: Record<string, string>): Promise<SseClient>;
  connections(): Promise<number>;
}

async function serve({ pingMs }: { pingMs?: number } = {}): Promise<Server> {
  const organizationId = newId('organization');
  const principal = new Principal({ kind: 'api_key', id: 'ak_1', organizationId, plan: 'enterprise', grants: ['*:*'] });
  const subgraphs = Object.values(platform.assembly.domains).map(({ subgraph }) => subgraph);
  let subscribers = 0;
  const router = await createRouter({
    supergraphSdl: composeSupergraph(subgraphs),
    transports: new Map(subgraphs.map((subgraph) => [subgraph.name, new LocalTransport(subgraph)])),
    log,
    live: { bufferSize: 4 },
    observer: {
      live(record) {
        subscribers = record.subscribers;
      },
    },
  });
  const app = createServer({ trustedProxies: [] });
  const caller = (): RequestContext => ({ requestId: newId('request'), principal, log });
  await mountEventStream(app, router, {
    admitted: caller,
    begun: () => undefined,
    readmit: async () => caller(),
    watch: new CredentialWatch({ log }),
    caps: new LiveCaps(),
    ...(pingMs && { pingMs }),
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    await router.close();
  });
  return {
    app,
    organizationId,
    subscribers: () => subscribers,
    open: (headers) => SseClient.open({ origin, credentials: { authorization: 'Bearer none' } }, '', headers),
    connections: () =>
      new Promise((resolve, reject) => app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
  };
}

async function append(organizationId: string, count: number): Promise<string[]> {
  const batch = Array.from({ length: count }, () => {
    const [id, occurredAt] = [newId('event'), platform.clock.now()];
    const payload = JSON.stringify({ id, data: { padding: PADDING } });
    const subject = { type: 'Ticket', id: 'ticket_1' };
    return { id, organizationId, event: 'ticket.created', subject, accountId: null, occurredAt, payload };
  });
  await platform.assembly.domains.events.append(batch);
  return batch.map(({ id }) => id);
}

/** Appends events until the connection and the buffer are full. */
async function overflow({ organizationId, subscribers }: Server): Promise<string[]> {
  const ids: string[] = [];
  await eventually(async () => {
    ids.push(...(await append(organizationId, 8)));
    return subscribers() === 0;
  });
  return ids;
}

test('an event stream to a slow client is closed, and the client resumes without lost or repeated events', async () => {
  const server = await serve();
  const slow = await server.open();
  await eventually(() => server.subscribers() === 1);
  slow.response.pause();
  const ids = await overflow(server);
  slow.response.resume();
  await eventually(() => slow.isClosed);
  expect(slow.frames.length).toBeLessThan(ids.length);

  const seen = slow.frames.map(({ id }) => id);
  expect(seen.length).toBeGreaterThan(0);
  await eventually(async () => {
    const client = await server.open({ 'last-event-id': seen.at(-1) ?? '' });
    await eventually(() => client.isClosed || seen.length + client.frames.length >= ids.length);
    seen.push(...client.frames.map(({ id }) => id));
    client.drop();
    return seen.length >= ids.length;
  });
  expect(seen).toEqual(ids);
});

test('the connection of an event stream is closed if its client stops reading', async () => {
  const server = await serve({ pingMs: 50 });
  const [first = ''] = await append(server.organizationId, 1);
  // more bytes than a connection can buffer
  for (let index = 0; index < 8; index += 1) await append(server.organizationId, 16);
  const stuck = await server.open({ 'last-event-id': first });
  stuck.response.pause();
  await eventually(async () => (await server.connections()) === 0);
});

test('an idle event stream sends comments to keep the connection open', async () => {
  const stream = await (await serve({ pingMs: 20 })).open();
  await eventually(() => stream.comments.length >= 2);
  expect(stream.isClosed).toBe(false);
});

test('the subscription of an event stream ends when its client disconnects', async () => {
  const server = await serve();
  const stream = await server.open();
  await eventually(() => server.subscribers() === 1);
  stream.drop();
  await eventually(() => server.subscribers() === 0);
});

test('a server that is stopped ends its event streams without an error, so that clients can reconnect', async () => {
  const server = await serve();
  const stream = await server.open();
  const [id] = await append(server.organizationId, 1);
  await eventually(() => stream.lastEventId === id);
  await server.app.close();
  await eventually(() => stream.isClosed);
  expect(stream.response.complete).toBe(true);
});
