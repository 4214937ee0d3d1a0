import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { localRouter, until } from '../graphql/fixtures/rig.ts';
import { listen } from '../graphql/fixtures/server.ts';
import { Shop } from '../graphql/fixtures/shop.ts';

const SOCKETS = 100;
const request = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

/**
 * Earlier, the process crashed if a client requested a WebSocket at a path other than /graphql and then reset the
 * connection, because the socket of the rejected request had no error handler.
 */
test.each(['/nope', '/graphql'])(
  'a client that requests a WebSocket at %s and resets the connection does not crash the process',
  async (path) => {
    const router = await localRouter(new Shop().subgraphs());
    const server = await listen(router);
    const { port } = new URL(server.url);
    const uncaught: unknown[] = [];
    const record = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', record);
    let open = 0;
    server.app.server.on('connection', (socket) => {
      open++;
      socket.once('close', () => open--);
    });
    const sockets = Array.from({ length: SOCKETS }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.write(request(path), () => socket.resetAndDestroy());
      return socket;
    });
    await until(() => sockets.every(({ closed }) => closed) && open === 0);
    expect((await fetch(server.url, { headers: { 'apollo-require-preflight': '1' } })).status).toBe(400);
    process.off('uncaughtExceptionMonitor', record);
    expect(uncaught).toEqual([]);
    await server[Symbol.asyncDispose]();
    await router.close();
  },
);
