import { type Client, createClient } from 'graphql-ws/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Grant } from '../../kernel/access/principal.ts';
import { PlatformError } from '../../kernel/errors/errors.ts';
import { CredentialWatch } from '../../router/credential-watch.ts';
import type { Router } from '../../router/router.ts';
import { caller, localRouter, silent, until } from './fixtures/rig.ts';
import { listen, type TestServer } from './fixtures/server.ts';
import { Shop } from './fixtures/shop.ts';

let shop: Shop;
let router: Router;
let server: TestServer;
let clients: Client[];
let revoked: Set<unknown>;
let charged: number[];
let served: { fields: readonly string[]; isOpen: boolean }[];
let grants: Grant[];
let checks: { open: number; most: number; all: number; hold: Promise<void> | undefined };

beforeEach(async () => {
  shop = new Shop();
  clients = [];
  revoked = new Set();
  charged = [];
  served = [];
  grants = ['*:*'];
  checks = { open: 0, most: 0, all: 0, hold: undefined };
  router = await localRouter(shop.subgraphs());
  server = await listen(router, {
    socket: {
      log: silent,
      maxOperations: 2,
      watch: new CredentialWatch({ recheckMs: 30, log: silent }),
      async admit({ params, isRecheck }) {
        if (isRecheck) await recheck(params['x-api-key']);
        const key = params['x-api-key'] ?? params.authorization;
        if (!key || key === 'bad' || revoked.has(key)) throw new PlatformError('INVALID_CREDENTIALS', 'This key is not known.');
        if (key === 'banned') throw new PlatformError('KEY_SUSPENDED', 'This key is suspended.');
        if (key === 'broken') throw new Error('the database is unavailable: postgres://user:hunter2@db');
        return caller(String(key), grants);
      },
      async charge(_, { weight }) {
        charged.push(weight);
        if (weight > 4) throw new PlatformError('RATE_LIMIT_EXCEEDED', 'Too much.');
      },
      async serve(_, { fields }, closed, run) {
        served.push({ fields, isOpen: !closed.aborted });
        if (fields.length === 2) throw new PlatformError('RATE_LIMIT_EXCEEDED', 'All are taken.');
        return run();
      },
    },
  });
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.dispose()));
  await server[Symbol.asyncDispose]();
  await router.close();
});

async function recheck(key: unknown): Promise<void> {
  checks.open++;
  checks.all++;
  checks.most = Math.max(checks.most, checks.open);
  await checks.hold;
  checks.open--;
  if (key === 'exhausted') throw new PlatformError('RATE_LIMIT_EXCEEDED', 'Too much.');
  if (key === 'unlucky') throw new Error('the database is unavailable');
}

interface Closed {
  code: number;
  reason: string;
}

function connect(connectionParams: Record<string, unknown> = { apiKey: 'key_1' }) {
  const closed: Closed[] = [];
  const client = createClient({
    url: server.socketUrl,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
    on: { closed: (event) => closed.push(event as Closed) },
    onNonLazyError: () => undefined,
  });
  clients.push(client);
  return { client, closed };
}

type Result = { data?: Record<string, unknown> | null; errors?: { message: string; extensions: Record<string, unknown> }[] };
const ask = async (client: Client, query: string, variables?: Record<string, unknown>): Promise<Result> => {
  for await (const result of client.iterate({ query, variables })) return result as Result;
  return {};
};

test('queries, mutations and subscriptions can use one socket, and each is charged by its weight', async () => {
  const { client } = connect();
  expect(await ask(client, '{ whoAmI }')).toEqual({ data: { whoAmI: 'key_1' } });
  const events = client.iterate<Record<string, unknown>>({ query: 'subscription { personRenamed { name orders { id } } }' });
  const next = events.next();
  await until(() => shop.openStreams === 1);
  expect(await ask(client, 'mutation ($name: String!) { rename(id: "p2", name: $name) { id } }', { name: 'Joan' })).toEqual({
    data: { rename: { id: 'p2' } },
  });
  expect((await next).value?.data).toEqual({ personRenamed: { name: 'Joan', orders: [{ id: 'o3' }] } });
  await events.return?.();
  await until(() => shop.openStreams === 0);
  expect(charged).toEqual([1, 0, 1, 0, 1, 1]);
  // an open subscription does not occupy a slot for running operations
  expect(served).toEqual([
    { fields: ['whoAmI'], isOpen: true },
    { fields: ['rename'], isOpen: true },
  ]);
});

test('an operation that gets no free concurrency slot returns RATE_LIMIT_EXCEEDED, and the socket stays open', async () => {
  const { client } = connect();
  const refused = await ask(client, '{ one: whoAmI two: whoAmI }');
  expect(refused).toMatchObject({ errors: [{ message: 'All are taken.', extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] });
  expect((await ask(client, '{ whoAmI }')).data).toEqual({ whoAmI: 'key_1' });
});

test.each([{ authorization: 'Bearer k' }, { Authorization: 'Bearer k' }, { apiKey: 'k' }, { 'X-API-Key': 'k' }])(
  'the router reads socket credentials from the connection parameters %o',
  async (params) => {
    expect((await ask(connect(params).client, '{ whoAmI }')).data?.whoAmI).toMatch(/k$/);
  },
);

test.each([
  [{}, 4401, 'INVALID_CREDENTIALS: This key is not known.'],
  [{ apiKey: 'bad' }, 4401, 'INVALID_CREDENTIALS: This key is not known.'],
  [{ apiKey: 'banned' }, 4403, 'KEY_SUSPENDED: This key is suspended.'],
  [{ apiKey: 'broken' }, 4500, expect.stringMatching(/^INTERNAL_ERROR: An internal error occurred/)],
])('a socket with the connection parameters %o is closed with %i and the reason', async (params, code, reason) => {
  const { client, closed } = connect(params);
  await expect(ask(client, '{ whoAmI }')).rejects.toBeDefined();
  expect(closed.map((event) => [event.code, event.reason])).toEqual([[code, reason]]);
});

test('an operation that is invalid or exceeds the cost limit returns an error, and its socket stays open', async () => {
  const { client, closed } = connect();
  const open = client.iterate({ query: 'subscription { orderPlaced { id } }' });
  const next = open.next();
  const refusal = await ask(client, '{ nothing }').catch((errors: unknown) => errors);
  expect(refusal).toMatchObject([
    {
      message: expect.stringMatching(/Cannot query field/),
      extensions: { code: 'INVALID_PARAMETERS', request_id: expect.stringMatching(/^req_/) },
    },
  ]);
  const costly = await ask(
    client,
    'mutation { a: deletePerson(id: "x") { id } b: deletePerson(id: "x") { id } c: deletePerson(id: "x") { id } }',
  ).catch((errors: unknown) => errors);
  expect(costly).toMatchObject([{ extensions: { code: 'RATE_LIMIT_EXCEEDED' } }]);
  expect(shop.people).toHaveLength(2);
  const limited = await ask(client, 'query ($n: Int) { people(limit: $n) { orders { items { id } } } }', { n: 900 }).catch(
    (errors: unknown) => errors,
  );
  expect(limited).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
  expect(await ask(client, '{ whoAmI }')).toEqual({ data: { whoAmI: 'key_1' } });
  expect(closed).toEqual([]);
  await open.return?.();
  await next;
});

test('an operation beyond the limit of open operations per socket returns RATE_LIMIT_EXCEEDED', async () => {
  const { client } = connect();
  const open = [1, 2].map(() => client.iterate({ query: 'subscription { orderPlaced { id } }' }));
  const waiting = open.map((events) => events.next());
  await until(() => shop.openStreams === 1);
  await expect(ask(client, '{ whoAmI }')).rejects.toMatchObject([{ extensions: { code: 'RATE_LIMIT_EXCEEDED' } }]);
  await open[0]?.return?.();
  expect(await ask(client, '{ whoAmI }')).toEqual({ data: { whoAmI: 'key_1' } });
  await open[1]?.return?.();
  await Promise.all(waiting);
});

test('revoking an API key closes the sockets that were opened with it', async () => {
  const { client, closed } = connect({ apiKey: 'key_3' });
  const next = client.iterate({ query: 'subscription { orderPlaced { id } }' }).next();
  await until(() => shop.openStreams === 1);
  const ended = expect(next).rejects.toMatchObject({ code: 4403 });
  revoked.add('key_3');
  await ended;
  expect(closed[0]?.code).toBe(4403);
  await until(() => shop.openStreams === 0);
});

test('removing permissions of an API key ends subscriptions that need them, and applies to new operations of an open socket', async () => {
  const { client, closed } = connect({ apiKey: 'key_4' });
  const events = client.iterate({ query: 'subscription { personRenamed { name } }' });
  const next = events.next();
  await until(() => shop.openStreams === 1);
  grants = ['billing:read'];
  const before = checks.all;
  await until(() => checks.all > before + 1);
  shop.events.emit('person', 'p1');
  expect((await next).value).toMatchObject({ errors: [{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }] });
  expect((await next).value?.data).toBeUndefined();
  expect((await events.next()).done).toBe(true);
  await until(() => shop.openStreams === 0);
  const again = await ask(client, 'subscription { personRenamed { name } }').catch((errors: unknown) => errors);
  expect(JSON.stringify(again)).toMatch(/INSUFFICIENT_PERMISSIONS/);
  // this client closes the socket when its last subscription ends
  expect(closed.every(({ code }) => code === 1000)).toBe(true);
});

test('adding permissions to an API key does not end the subscriptions of the key', async () => {
  grants = ['support:read'];
  const { client } = connect({ apiKey: 'key_5' });
  const events = client.iterate<Record<string, unknown>>({ query: 'subscription { personRenamed { name } }' });
  const next = events.next();
  await until(() => shop.openStreams === 1);
  grants = ['*:*'];
  const before = checks.all;
  await until(() => checks.all > before + 1);
  shop.events.emit('person', 'p1');
  expect((await next).value?.data).toEqual({ personRenamed: { name: 'Ada' } });
  await events.return?.();
});

test.each(['exhausted', 'unlucky'])(
  'a socket with the API key %s stays open if rechecking this key fails for a temporary reason',
  async (apiKey) => {
    const { client, closed } = connect({ apiKey });
    const events = client.iterate({ query: 'subscription { orderPlaced { id } }' });
    const next = events.next();
    await until(() => checks.all > 2);
    expect(await ask(client, '{ whoAmI }')).toEqual({ data: { whoAmI: apiKey } });
    expect(closed).toEqual([]);
    await events.return?.();
    await next;
  },
);

test('the credentials of at most eight open sockets are rechecked at the same time', async () => {
  let release = (): void => {};
  const opened = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { client } = connect({ apiKey: `key_${n}` });
      const events = client.iterate({ query: 'subscription { orderPlaced { id } }' });
      const next = events.next();
      await ask(client, '{ whoAmI }');
      return { events, next };
    }),
  );
  // the operations above rechecked their own sockets; from here on only the periodic checks count
  Object.assign(checks, { most: 0, all: 0 });
  checks.hold = new Promise((resolve) => {
    release = resolve;
  });
  // longer than the interval between several periodic checks
  const started = performance.now();
  await until(() => performance.now() - started > 150);
  expect(checks.most).toBeLessThanOrEqual(8);
  release();
  await until(() => checks.all >= 24);
  expect(checks.most).toBeLessThanOrEqual(8);
  await Promise.all(opened.map(async ({ events, next }) => [await events.return?.(), await next]));
});

test('a document with a syntax error or an unknown field is charged as one request', async () => {
  const { client } = connect();
  await ask(client, '{ not GraphQL').catch(() => undefined);
  await ask(client, '{ nothing }').catch(() => undefined);
  expect(charged).toEqual([1, 1]);
});

test('a socket that does not respond to pings is closed, and its subscriptions end', async () => {
  // long enough for a client on a slow machine to respond
  await using pinging = await listen(router, { socket: { pingMs: 1000 } });
  const open = (options: object) => {
    const socket = class extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, options);
      }
    };
    const client = createClient({ url: pinging.socketUrl, webSocketImpl: socket, connectionParams: { apiKey: 'key' }, retryAttempts: 0 });
    clients.push(client);
    return client.iterate({ query: 'subscription { orderPlaced { id } }' }).next();
  };
  const responsive = open({});
  const unresponsive = open({ autoPong: false });
  void responsive.catch(() => undefined);
  await expect(unresponsive).rejects.toBeTruthy();
  await until(() => shop.openStreams === 1);
});

test('a WebSocket on an unknown path or with an unknown subprotocol fails', async () => {
  const failed = (url: string, protocol: string) =>
    new Promise((resolve) => new WebSocket(url, protocol).once('error', resolve).once('close', (code) => resolve(code)));
  expect(String(await failed(server.socketUrl.replace('/graphql', '/other'), 'graphql-transport-ws'))).toMatch(/404/);
  expect(String(await failed(server.socketUrl, 'graphql-ws'))).toMatch(/4406|subprotocol/);
});

test('a server that stops closes its sockets with 1001, and their subscriptions end', async () => {
  const { client, closed } = connect();
  const next = client.iterate({ query: 'subscription { orderPlaced { id } }' }).next();
  await until(() => shop.openStreams === 1);
  const closedByServer = expect(next).rejects.toMatchObject({ code: 1001 });
  await server.app.close();
  await closedByServer;
  expect(closed[0]?.code).toBe(1001);
  await until(() => shop.openStreams === 0);
});
