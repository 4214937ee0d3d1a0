import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { createServer } from '../../router/edge/server.ts';

/**
 * Earlier, an aborted upload returned 503 and was logged as a lost database connection (ECONNRESET). Anyone with an API
 * key could fill the log.
 */
test('a request body that the client aborts returns 400 MALFORMED_REQUEST', async () => {
  const app = createServer({ trustedProxies: [] });
  app.post('/', () => ({}));
  const answered = new Promise<{ status: number; body: unknown }>((resolve) => {
    app.addHook('onSend', async (_, reply, body) => resolve({ status: reply.statusCode, body }));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  socket.write('{"name":', () => socket.destroy());
  expect(await answered).toMatchObject({ status: 400, body: expect.stringContaining('MALFORMED_REQUEST') });
  await app.close();
});
