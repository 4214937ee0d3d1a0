import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, start } from '../rig.ts';

let own: Rig;
beforeAll(async () => {
  own = await start({ MAX_CONNECTIONS: '20', HEADERS_TIMEOUT_MS: '2000' });
});
afterAll(() => own.close());

/** Sends bytes, waits until the server closes the connection, and returns its response. */
async function responseTo(bytes: string): Promise<{ head: string; body: string }> {
  const socket = opened();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return { head, body };
}

function opened(): Socket {
  const { port, hostname } = new URL(own.origin);
  return connect(Number(port), hostname).on('error', () => undefined);
}

test.each([
  ['headers that are too large', `GET /v1/accounts HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
  ['headers that never end', 'GET /v1/accounts HTTP/1.1\r\nHost: x\r\nX-Slow: ', 408, 'REQUEST_TIMEOUT'],
])('a request with %s returns the standard error body, and the connection is closed', async (_, bytes, status, code) => {
  const { head, body } = await responseTo(bytes);
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^Connection: close$/m);
  expect(JSON.parse(body).error).toMatchObject({
    code,
    message: expect.any(String),
    details: {},
    request_id: expect.stringMatching(/^req_/),
  });
});

test('invalid HTTP in the middle of an event stream closes the connection without writing into the stream', async () => {
  const { apiKey } = await own.organization();
  const socket = opened();
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    if (!received.includes('retry:') && String(chunk).includes('retry:')) socket.write('hello\r\n\r\n');
    received += String(chunk);
  });
  socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
  await once(socket, 'close');
  expect(received).toContain('retry:');
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

test('an unsupported protocol upgrade is ignored, and the request returns 200', async () => {
  const { apiKey } = await own.organization();
  const upgrade = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA';
  const { head, body } = await responseTo(`GET /v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n${upgrade}\r\n\r\n`);
  expect(head).toMatch(/^HTTP\/1.1 200 /);
  expect(JSON.parse(body)).toMatchObject({ success: true, data: [] });
});

test('a connection that sends no request within the time limit is closed', async () => {
  const socket = opened();
  socket.resume();
  await once(socket, 'close');
});

test('forty connections with incomplete headers are closed, and the server then responds to other requests', async () => {
  const trickling = Array.from({ length: 40 }, () => {
    const socket = opened();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    socket.resume();
    const drip = setInterval(() => socket.writable && socket.write('X: 1\r\n'), 50);
    socket.on('close', () => clearInterval(drip));
    return socket;
  });
  // connections beyond MAX_CONNECTIONS are closed immediately, and the others after HEADERS_TIMEOUT_MS
  await eventually(() => trickling.every(({ closed }) => closed));
  expect((await fetch(`${own.origin}/healthz`)).status).toBe(200);
});
