import { type Client, createClient } from 'graphql-ws/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Router } from '../../router/router.ts';
import type { GraphqlSocketOptions } from '../../router/ws.ts';
import { type Caller, localRouter, until } from './fixtures/rig.ts';
import { listen, type TestServer } from './fixtures/server.ts';
import { Ticker } from './fixtures/ticker.ts';

const TICK_BYTES = 64 * 1024;
const MAX_EVENT_BYTES = 4 * TICK_BYTES;
const TICKS = 'subscription Ticks($after: ID) { ticks(after: $after) { id text } }';

let ticker: Ticker;
let router: Router;
let server: TestServer | undefined;
let clients: Client[];
let subscribers: number;

beforeEach(async () => {
  ticker = new Ticker(TICK_BYTES);
  clients = [];
  subscribers = 0;
  router = await localRouter([ticker.subgraph()], {
    observer: {
      live: (now) => {
        subscribers = now.subscribers;
      },
    },
  });
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.dispose()));
  await server?.[Symbol.asyncDispose]();
  await router.close();
});

const serve = async (socket: Partial<GraphqlSocketOptions<Caller>>): Promise<void> => {
  server = await listen(router, { socket: { maxEventBytes: MAX_EVENT_BYTES, ...socket } });
};

interface Follower {
  ids: string[];
  socket: WebSocket;
  closed: { code: number; reason: string }[];
}

/** Subscribes over a new socket. Resolves when the subscription has started. */
async function follow(after?: string): Promise<Follower> {
  const wanted = subscribers + 1;
  const { promise: connected, resolve } = Promise.withResolvers<WebSocket>();
  const follower = { ids: [] as string[], closed: [] as Follower['closed'] };
  const client = createClient({
    url: server?.socketUrl ?? '',
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    on: {
      connected: (socket) => resolve(socket as WebSocket),
      closed: (event) => {
        const { code, reason } = event as Follower['closed'][0];
        follower.closed.push({ code, reason });
      },
    },
  });
  clients.push(client);
  client.subscribe<{ ticks: { id: string } }>(
    { query: TICKS, variables: { after } },
    { next: ({ data }) => void follower.ids.push(data?.ticks.id ?? ''), error: () => undefined, complete: () => undefined },
  );
  const socket = await connected;
  await until(() => subscribers === wanted);
  return Object.assign(follower, { socket });
}

/** Emits events until the condition is true. Pauses after each event, so that subscribers can read it. */
async function tickUntil(condition: () => boolean): Promise<void> {
  while (!condition()) {
    ticker.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('the socket of a client that stops reading is closed with 4450, and no event is lost or repeated if the client resumes', async () => {
  // long enough for a slow machine to send the buffered events
  await serve({ closeMs: 60_000 });
  const [slow, fast] = [await follow(), await follow()];
  ticker.tick();
  await until(() => slow.ids.length === 1);
  slow.socket.pause();
  await tickUntil(() => subscribers === 1);
  slow.socket.resume();
  await until(() => slow.closed.length === 1);
  expect(slow.closed).toEqual([{ code: 4450, reason: 'RESUME: Ticks was read too slowly. Subscribe again after the last id you have.' }]);
  expect(slow.ids.length).toBeLessThan(ticker.ids.length);

  const back = await follow(slow.ids.at(-1));
  ticker.tick();
  await until(() => slow.ids.length + back.ids.length === ticker.ids.length && fast.ids.length === ticker.ids.length);
  expect([...slow.ids, ...back.ids]).toEqual(ticker.ids);
  expect(fast.ids).toEqual(ticker.ids);
  expect([back.closed, fast.closed]).toEqual([[], []]);
});

test("a client that does not start reading again is disconnected after the time in the setting 'closeMs'", async () => {
  await serve({ closeMs: 100 });
  const stuck = await follow();
  stuck.socket.pause();
  await tickUntil(() => subscribers === 0);
  let open = 1;
  await until(() => {
    server?.app.server.getConnections((_, count) => {
      open = count;
    });
    return open === 0;
  });
  stuck.socket.terminate();
});

test('while the client of a resumed subscription does not read, the log is not read further, and all events are delivered later', async () => {
  await serve({});
  const first = await follow();
  await tickUntil(() => first.ids.length === 400);
  const taken = ticker.taken;
  const behind = await follow(ticker.ids[0]);
  behind.socket.pause();
  // after the socket buffers of the system are full, nothing more is read from the log
  let before = -1;
  while (before !== ticker.taken) {
    before = ticker.taken;
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(ticker.taken - taken).toBeLessThan(399);
  behind.socket.resume();
  await until(() => behind.ids.length === 399);
  expect(behind.ids).toEqual(ticker.ids.slice(1));
  expect(behind.closed).toEqual([]);
});
