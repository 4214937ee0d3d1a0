import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { HttpClient, type HttpClientOptions, NoResponse } from './http.client.ts';
import { UrlGuard } from './ssrf.ts';

let server: Server;
let asked = 0;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1;
    if (request.url === '/slow') return;
    if (request.url === '/status') return void response.writeHead(Number(request.headers['x-status'])).end('{"code":7}');
    if (request.url === '/broken') {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
      return;
    }
    if (request.url === '/endless') {
      const more = (): void => void (response.write(Buffer.alloc(64 * 1024, 'a')) ? setImmediate(more) : response.once('drain', more));
      response.writeHead(200);
      more();
      return;
    }
    response.writeHead(302, { location: `${origin}/elsewhere`, 'retry-after': '7' }).end('moved');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

function clientOf(options: HttpClientOptions = {}): HttpClient {
  const client = new HttpClient(options);
  onTestFinished(() => client.destroy());
  return client;
}
const within = (wholeMs: number) => ({ connectMs: 5000, wholeMs });

test('an HTTP client with a URL guard never connects to a private address', async () => {
  const before = asked;
  await expect(clientOf({ guard: new UrlGuard({ allowPrivate: false }) }).send({ method: 'POST', url: origin, json: {} })).rejects.toThrow(
    new NoResponse('the address is private, loopback or link-local'),
  );
  expect(asked).toBe(before);
});

test('the HTTP client returns a redirect as the response and does not follow the redirect', async () => {
  const before = asked;
  expect(await clientOf().send({ url: origin })).toMatchObject({ status: 302, retryAfterMs: 7000, text: 'moved', outcome: 'later' });
  expect(asked).toBe(before + 1);
});

test('a request without a response throws NoResponse after the timeout of the client or of the request', async () => {
  const late = new NoResponse('no response within 0.05 s');
  await expect(clientOf({ timeouts: within(50) }).send({ url: `${origin}/slow` })).rejects.toThrow(late);
  await expect(clientOf().send({ url: `${origin}/slow`, timeoutMs: 50 })).rejects.toThrow(late);
});

test('the HTTP client reads only the first 512 KiB of an endless response', async () => {
  const { status, text, isCut, outcome } = await clientOf().send({ url: `${origin}/endless` });
  expect([status, text.length, isCut, outcome]).toEqual([200, 512 * 1024, true, 'later']);
});

test('a request with an incomplete response throws NoResponse, unless the client needs only the response status', async () => {
  const url = `${origin}/broken`;
  await expect(clientOf().send({ url })).rejects.toThrow(NoResponse);
  expect(await clientOf({ isStatusEnough: true }).send({ url })).toMatchObject({ status: 200, text: 'half' });
});

describe('requests on a closed kept connection', () => {
  /**
   * Starts a server that responds to the first request of each connection, and resets the connection at the second
   * request. The client sees the same if a server closes an idle connection just before a request arrives.
   */
  async function closing(): Promise<{ url: string; asked: string[]; connections: () => number }> {
    const asked: string[] = [];
    let connections = 0;
    const sockets = new Set<Socket>();
    const one = createNetServer((socket) => {
      connections += 1;
      sockets.add(socket);
      let isUsed = false;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        if (!/^(GET|PUT|POST) /.test(chunk.toString())) return;
        if (isUsed) return void socket.resetAndDestroy();
        isUsed = true;
        asked.push(chunk.toString().split(' ', 1)[0] ?? '');
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      one.close();
      for (const socket of sockets) socket.destroy();
    });
    return { url: `http://127.0.0.1:${(one.address() as AddressInfo).port}`, asked, connections: () => connections };
  }

  /** Waits for one iteration of the event loop. After that, the client can reuse the connection of a response that has ended. */
  const isIdle = () => new Promise((resolve) => setImmediate(resolve));

  test.each(['GET', 'PUT'] as const)('a %s request on a reused connection that the server has closed is sent again', async (method) => {
    const { url, asked: received, connections } = await closing();
    const client = clientOf();
    await client.send({ method, url });
    await isIdle();
    expect((await client.send({ method, url })).status).toBe(200);
    expect([received, connections()]).toEqual([[method, method], 2]);
  });

  test('a POST request on a reused connection that the server has closed is not sent again and throws NoResponse', async () => {
    const { url, connections } = await closing();
    const client = clientOf();
    await client.send({ method: 'POST', url, json: {} });
    await isIdle();
    await expect(client.send({ method: 'POST', url, json: {} })).rejects.toThrow(new NoResponse('the connection was reset'));
    expect(connections()).toBe(1);
  });

  test('a request is sent again at most once, even if the second connection is reset too', async () => {
    let connections = 0;
    const one = createNetServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void one.close());
    const url = `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
    await expect(clientOf().send({ url })).rejects.toThrow(new NoResponse('the connection was reset'));
    expect(connections).toBe(2);
  });
});

test('requests of a destroyed HTTP client throw NoResponse, including requests in progress', async () => {
  const client = clientOf();
  const answer = client.send({ url: `${origin}/slow` });
  await client.destroy();
  await expect(answer).rejects.toThrow(NoResponse);
  await expect(client.send({ url: origin })).rejects.toThrow(NoResponse);
});

test.each([
  [200, 'done'],
  [204, 'done'],
  [304, 'later'],
  [400, 'refused'],
  [401, 'later'],
  [422, 'refused'],
  [429, 'later'],
  [500, 'later'],
])('a response with status %i has the outcome: %s', async (status, outcome) => {
  expect(await clientOf().send({ url: `${origin}/status`, headers: { 'x-status': String(status) } })).toMatchObject({ outcome });
});

test('a response body is parsed with the given schema, and parsing a body that is not JSON fails', async () => {
  const code = z.object({ code: z.number() });
  const answer = await clientOf().send({ url: `${origin}/status`, headers: { 'x-status': '400' } });
  expect(answer.json(code).data).toEqual({ code: 7 });
  expect((await clientOf().send({ url: origin })).json(code).success).toBe(false);
});
