import { type Client, createClient } from 'graphql-ws/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LiveCaps } from '../../router/live-caps.ts';
import type { Router } from '../../router/router.ts';
import { localRouter, until } from './fixtures/rig.ts';
import { listen, type TestServer } from './fixtures/server.ts';
import { Shop } from './fixtures/shop.ts';

let router: Router;
let server: TestServer;
let clients: Client[];
let subscribers: number;

beforeEach(async () => {
  clients = [];
  subscribers = 0;
  router = await localRouter(new Shop().subgraphs(), {
    observer: {
      live: (now) => {
        subscribers = now.subscribers;
      },
    },
  });
  server = await listen(router, { socket: { caps: new LiveCaps(() => ({ liveConnections: 2, liveSubscriptions: 3 })) } });
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.dispose()));
  await server[Symbol.asyncDispose]();
  await router.close();
});

interface Opened {
  client: Client;
  socket: WebSocket;
}

/** Opens a connection. Resolves if the server accepts it; otherwise rejects with the close event. */
function open(): Promise<Opened> {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const client = createClient({
    url: server.socketUrl,
    webSocketImpl: WebSocket,
    connectionParams: { apiKey: 'key' },
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    on: { connected: (socket) => resolve({ client, socket: socket as WebSocket }), closed: reject },
  });
  clients.push(client);
  return promise;
}

/** Retries until the server accepts a connection, because the server notices a closed connection with a delay. */
async function openWhenFree(): Promise<Opened> {
  for (;;) {
    const opened = await open().catch(() => undefined);
    if (opened) return opened;
  }
}

/** Subscribes. Returns a function that ends the subscription, or the errors if the server refuses it. */
async function follow({ client }: Opened, query = 'subscription { orderPlaced { id } }'): Promise<(() => void) | { refused: unknown }> {
  const wanted = subscribers + 1;
  let refused: unknown;
  const leave = client.subscribe(
    { query },
    {
      next: ({ errors }) => {
        refused ??= errors;
      },
      error: (errors) => {
        refused ??= errors;
      },
      complete: () => undefined,
    },
  );
  await until(() => refused !== undefined || subscribers === wanted);
  return refused ? { refused } : leave;
}

const answerOf = async ({ client }: Opened) => (await client.iterate({ query: '{ whoAmI }' }).next()).value;
const BEYOND = {
  refused: [
    {
      message: 'The plan allows 3 live subscriptions at a time. Complete one first.',
      extensions: { code: 'RATE_LIMIT_EXCEEDED', details: { window: 'live_subscriptions', limit: 3, current_usage: 3 } },
    },
  ],
};

test('a connection beyond the limit of the plan is closed with 4429, and a new connection is accepted after another closes', async () => {
  const { socket } = await open();
  await open();
  const refusal = { code: 4429, reason: expect.stringMatching(/^RATE_LIMIT_EXCEEDED: The plan allows 2 live connections/) };
  await expect(open()).rejects.toMatchObject(refusal);
  // disconnects without a close frame
  socket.terminate();
  await openWhenFree();
  await expect(open()).rejects.toMatchObject(refusal);
});

test('a subscription beyond the limit of the plan returns RATE_LIMIT_EXCEEDED on every socket, and the sockets stay open', async () => {
  const [one, other] = [await open(), await open()];
  const leave = await follow(one);
  await follow(one);
  await follow(other);
  expect(await follow(other)).toMatchObject(BEYOND);
  expect(await answerOf(other)).toMatchObject({ data: { whoAmI: 'key' } });

  (leave as () => void)();
  await until(() => subscribers === 2);
  expect(await follow(other)).toBeTypeOf('function');
  expect(await follow(one)).toMatchObject(BEYOND);
});

test('when a socket disconnects, only its own subscriptions stop counting towards the limit', async () => {
  const [one, other] = [await open(), await open()];
  const leave = await follow(one);
  (leave as () => void)();
  await until(() => subscribers === 0);
  await follow(one);
  await follow(one);
  await follow(other);
  one.socket.terminate();
  await until(() => subscribers === 1);
  for (const more of [1, 2]) expect([more, await follow(other)]).toEqual([more, expect.any(Function)]);
  expect(await follow(other)).toMatchObject(BEYOND);
});

test('a subscription that returns INVALID_PARAMETERS does not count towards the limit of live subscriptions', async () => {
  const one = await open();
  for (let times = 0; times < 4; times += 1) {
    expect(await follow(one, 'subscription { itemCounted { id available } }')).toMatchObject({
      refused: [{ extensions: { code: 'INVALID_PARAMETERS' } }],
    });
  }
  for (const more of [1, 2, 3]) expect([more, await follow(one)]).toEqual([more, expect.any(Function)]);
});
