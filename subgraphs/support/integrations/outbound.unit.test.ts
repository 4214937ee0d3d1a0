import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { Outbound, Unanswered } from './outbound.ts';

let server: Server;
let asked = 0;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1;
    if (request.url === '/slow') return;
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

const outboundOf = (allowPrivate: boolean, wholeMs = 5000): Outbound =>
  new Outbound(new UrlGuard({ allowPrivate }), () => new Date(), { connectMs: 5000, wholeMs });

test('a private address is not dialled, whatever was thought of it before', async () => {
  const before = asked;
  await expect(outboundOf(false).send({ method: 'POST', url: origin, body: {} })).rejects.toThrow(
    new Unanswered('the address is private, loopback or link-local'),
  );
  expect(asked).toBe(before);
});

test('a redirect is an answer, and not followed', async () => {
  const before = asked;
  expect(await outboundOf(true).send({ method: 'GET', url: origin })).toEqual({ status: 302, retryAfterMs: 7000, text: 'moved' });
  expect(asked).toBe(before + 1);
});

test('who does not answer in time is not waited for', async () => {
  await expect(outboundOf(true, 50).send({ method: 'GET', url: `${origin}/slow` })).rejects.toThrow(
    new Unanswered('no answer within 0.05 s'),
  );
});

test('an endless answer is read to its 512th KiB', async () => {
  const { status, text } = await outboundOf(true).send({ method: 'GET', url: `${origin}/endless` });
  expect([status, text.length]).toEqual([200, 512 * 1024]);
});
