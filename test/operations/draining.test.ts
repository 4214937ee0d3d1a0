import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectOverTls } from 'node:tls';
import { expect, test } from 'vitest';
import { eventually, type Rig, start } from '../rig.ts';
import { serverFiles } from '../support/tls.ts';

const address = ({ origin }: Rig) => ({ port: Number(new URL(origin).port), host: '127.0.0.1' });

/** Opens a connection and sends `bytes`. `received` has one character for each byte from the server. */
async function opened(own: Rig, bytes = ''): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(address(own)), { received: '' });
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (chunk) => {
    socket.received += chunk;
  });
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const createAgent = ({ apiKey }: { apiKey: string }, body: string, length = body.length): string =>
  `POST /v1/support/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

test('a platform that stops serves the request whose body is still arriving, and closes connections that have sent no complete request', async () => {
  const own = await start();
  const { apiKey } = await own.organization();
  const body = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', specialization: 'voice' });
  const slow = await opened(own, createAgent({ apiKey }, body.slice(0, 10), body.length));
  const others = [await opened(own), await opened(own, 'GET /v1/accounts HTTP/1.1\r\nHost: x\r\n')];
  // the server has accepted all connections when it has responded to a later one
  expect((await fetch(`${own.origin}/healthz`)).status).toBe(200);

  const isClosed = own.close();
  await eventually(() => others.every(({ closed }) => closed));
  expect(slow.closed).toBe(false);
  slow.write(body.slice(10));
  await isClosed;
  await eventually(() => slow.closed);
  expect(slow.received).toMatch(/^HTTP\/1\.1 201 /);
});

test('a platform that stops sends all of its responses to a client that reads slowly', async () => {
  const own = await start();
  const response = await fetch(`${own.origin}/v1/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  const size = (await response.arrayBuffer()).byteLength;
  const slow = await opened(own);
  slow.pause();
  // more than the buffers of a connection hold
  slow.write('GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
  await eventually(() => slow.readableLength > 0);
  const silent = await opened(own);
  const isClosed = own.close();
  // the server has then closed all connections that it closes without waiting for the client
  await eventually(() => silent.closed);
  slow.resume();
  await isClosed;
  await eventually(() => slow.closed);
  expect(slow.received.length).toBeGreaterThan(4 * size);
  expect(slow.received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
});

test('a platform with TLS stops while a client has not begun the handshake and another has not sent a request', async () => {
  const own = await start(await serverFiles());
  await opened(own);
  const silent = connectOverTls({ ...address(own), rejectUnauthorized: false }).on('error', () => undefined);
  await once(silent, 'secureConnect');
  await own.close();
  silent.resume();
  await eventually(() => silent.closed);
});
