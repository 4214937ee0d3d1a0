import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeAgent } from '../rest/agents.setup.ts';
import { rig } from '../rig.ts';
import { rawRequest } from '../support/raw-request.ts';
import type { Tenant } from '../tenant.ts';

let tenant: Tenant;
let large: string;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  const agent = await makeAgent(tenant, { name: 'x'.repeat(60) });
  for (let count = 0; count < 5; count++) await makeAgent(tenant);
  large = '/v1/support/agents';
  expect(agent.id).toBeDefined();
});

const ask = (path: string, encoding?: string, more: Record<string, string> = {}, method = 'GET', body?: string) =>
  rawRequest(tenant.origin + path, {
    method,
    headers: { authorization: `Bearer ${tenant.apiKey}`, ...(encoding && { 'accept-encoding': encoding }), ...more },
    body,
  });
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe('compression of large responses', () => {
  test.each(['br', 'gzip'] as const)(
    'a large response to a client that accepts %s has this Content-Encoding, and the decompressed content is unchanged',
    async (encoding) => {
      const plain = await ask(large);
      const compressed = await ask(large, encoding);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(compressed.headers['content-encoding']).toBe(encoding);
      expect(compressed.headers.vary).toMatch(/Accept-Encoding/);
      expect(plain.headers.vary).toMatch(/Accept-Encoding/);
      expect(compressed.body.length).toBeLessThan(plain.body.length / 2);
      expect(compressed.headers['content-length']).toBe(String(compressed.body.length));
      const decoded = JSON.parse(DECODERS[encoding](compressed.body).toString());
      expect(decoded.data).toEqual(JSON.parse(plain.body.toString()).data);
    },
  );

  test.each([
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['GZIP', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['zstd', undefined],
    ['', undefined],
  ])('the response to a request with Accept-Encoding %j has the Content-Encoding %s', async (accepted, encoding) => {
    expect((await ask(large, accepted)).headers['content-encoding']).toBe(encoding);
  });

  test('each encoding of a response has its own ETag, and If-None-Match with any of these ETags returns 304', async () => {
    const tags = await Promise.all([undefined, 'gzip', 'br'].map(async (encoding) => String((await ask(large, encoding)).headers.etag)));
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
    for (const held of tags)
      for (const encoding of [undefined, 'gzip', 'br']) {
        const response = await ask(large, encoding, { 'if-none-match': held });
        expect([response.status, response.headers.etag, response.body.length]).toEqual([304, held, 0]);
        expect(response.headers.vary).toMatch(/Accept-Encoding/);
      }
    expect((await ask(large, 'gzip', { 'if-none-match': '"another-gzip"' })).status).toBe(200);
  });

  test('HEAD returns the same Content-Encoding, ETag and Content-Type as the compressed GET response', async () => {
    const [get, head] = [await ask(large, 'gzip'), await ask(large, 'gzip', {}, 'HEAD')];
    expect(head.body.length).toBe(0);
    for (const name of ['content-encoding', 'etag', 'content-type'] as const) expect(head.headers[name]).toBe(get.headers[name]);
  });

  test('a large GraphQL response is compressed if the client accepts it', async () => {
    const query = JSON.stringify({ query: '{ agents { nodes { id name email specialization active desk createdAt } } }' });
    const { headers, body } = await ask('/graphql', 'gzip', { 'content-type': 'application/json' }, 'POST', query);
    expect(headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(body).toString()).data.agents.nodes.length).toBeGreaterThan(5);
  });
});

test('If-Match accepts the ETag of a compressed response, and returns 409 for a weak or different ETag', async () => {
  const { id } = await makeAgent(tenant, { name: 'y'.repeat(80) });
  const path = `/v1/support/agents/${id}`;
  const { headers } = await ask(path);
  const base = String(headers.etag);
  for (const [sent, status] of [
    [`W/${base}`, 409],
    ['"another-br"', 409],
    [`${base.slice(0, -1)}-br"`, 200],
  ] as const) {
    const response = await ask(path, undefined, { 'if-match': sent, 'content-type': 'application/json' }, 'PUT', '{"name":"Ada Lovelace"}');
    expect(response.status, sent).toBe(status);
  }
});

describe('uncompressed responses', () => {
  test('small responses, event streams and pages with forms are not compressed', async () => {
    expect((await ask('/healthz', 'gzip')).headers['content-encoding']).toBeUndefined();
    const page = await ask('/password/forgot', 'gzip, br');
    expect([page.status, page.headers['content-encoding']]).toEqual([200, undefined]);
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${tenant.apiKey}`, accept: 'text/event-stream', 'accept-encoding': 'gzip' };
    const stream = await fetch(`${tenant.origin}/v1/events/stream`, { headers, signal: controller.signal });
    expect([stream.status, stream.headers.get('content-encoding')]).toEqual([200, null]);
    controller.abort();
  });
});

test.each(['/v1/openapi.json', '/docs/js/scalar.js'])(
  '%s is served compressed, and a request with its ETag returns 304 for every encoding',
  async (path) => {
    const plain = await ask(path);
    const compressed = await ask(path, 'br');
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
    expect(brotliDecompressSync(compressed.body).equals(plain.body)).toBe(true);
    expect((await ask(path, 'br', { 'if-none-match': String(compressed.headers.etag) })).status).toBe(304);
    expect((await ask(path, 'gzip', { 'if-none-match': String(compressed.headers.etag) })).status).toBe(304);
  },
);
