import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { localRouter, until } from '../graphql/fixtures/rig.ts';
import { listen } from '../graphql/fixtures/server.ts';
import { Shop } from '../graphql/fixtures/shop.ts';

const MOST = 100;
const SENT = 150;

/**
 * Earlier, all operations were counted before the first operation was accepted, and each rejection decreased the count. Only 12 operations
 * were accepted.
 */
test('if 150 operations are sent together on a socket, the first 100 are accepted and 50 return an error', async () => {
  const shop = new Shop();
  let subscribers = 0;
  const router = await localRouter(shop.subgraphs(), {
    observer: {
      live: (now) => {
        subscribers = now.subscribers;
      },
    },
  });
  const server = await listen(router, { socket: { charge: () => new Promise((resolve) => setImmediate(resolve)) } });
  const socket = new WebSocket(server.socketUrl, 'graphql-transport-ws');
  const refused: string[] = [];
  const open = new Set<string>();
  const send = (message: object) => socket.send(JSON.stringify(message));
  const subscribe = (id: string) => send({ id, type: 'subscribe', payload: { query: 'subscription { orderPlaced { id } }' } });
  socket.on('message', (data) => {
    const { type, id, payload } = JSON.parse(String(data)) as { type: string; id: string; payload: { message: string }[] };
    if (type === 'connection_ack') for (let count = 0; count < SENT; count++) subscribe(`op${count}`);
    if (type === 'next') open.add(id);
    if (type === 'error') refused.push(`${id} ${payload[0]?.message}`);
  });
  socket.on('open', () => send({ type: 'connection_init', payload: { apiKey: 'key' } }));

  await until(() => refused.length + subscribers === SENT);
  shop.place({ id: 'o20', personId: 'p1', items: ['i1'] });
  await until(() => open.size === subscribers);
  expect(open.size).toBe(MOST);
  expect([...open]).toContain('op0');
  expect(refused).toEqual(
    Array.from({ length: SENT - MOST }, (_, n) => `op${MOST + n} A socket may have ${MOST} operations open. Complete one first.`),
  );

  // after an operation is completed, another one can start
  send({ id: 'op0', type: 'complete' });
  subscribe('later');
  await until(() => subscribers === MOST || refused.length > SENT - MOST);
  expect(refused).toHaveLength(SENT - MOST);
  socket.terminate();
  await server[Symbol.asyncDispose]();
  await router.close();
});
