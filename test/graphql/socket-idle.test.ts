import { type Client, createClient } from 'graphql-ws/client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { localRouter, until } from './fixtures/rig.ts';
import { listen } from './fixtures/server.ts';
import { Shop } from './fixtures/shop.ts';

test('a socket without an operation is closed as idle, and a socket with a subscription stays open', async () => {
  const shop = new Shop();
  const router = await localRouter(shop.subgraphs());
  // long enough for a client on a slow machine to respond to a ping
  const server = await listen(router, { socket: { pingMs: 1000, idleMs: 700 } });
  const clients: Client[] = [];
  onTestFinished(async () => {
    for (const client of clients) await client.dispose();
    await server[Symbol.asyncDispose]();
    await router.close();
  });
  const closings = (lazy: boolean): unknown[] => {
    const closed: unknown[] = [];
    const on = { closed: (event: unknown) => void closed.push((event as { code: number; reason: string }).reason) };
    const client = createClient({
      url: server.socketUrl,
      webSocketImpl: WebSocket,
      lazy,
      retryAttempts: 0,
      on,
      onNonLazyError: () => undefined,
    });
    clients.push(client);
    return closed;
  };

  const following = closings(true);
  const events = clients[0]?.iterate({ query: 'subscription { orderPlaced { id } }' });
  const next = events?.next();
  await until(() => shop.openStreams === 1);
  // the two idle sockets run one after the other, so that the subscription is open for longer than each of them
  for (let times = 0; times < 2; times += 1) {
    const idle = closings(false);
    await until(() => idle.length > 0);
    expect(idle[0]).toMatch(/^Idle/);
  }

  shop.place({ id: 'o10', personId: 'p1', items: [] });
  expect((await next)?.value?.data).toEqual({ orderPlaced: { id: 'o10' } });
  expect(following).toEqual([]);
});
