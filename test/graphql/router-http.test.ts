import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlatformError } from '../../kernel/errors/errors.ts';
import type { Router } from '../../router/router.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { localRouter } from './fixtures/rig.ts';
import { listen, type TestServer } from './fixtures/server.ts';
import { Shop } from './fixtures/shop.ts';

let router: Router;
let server: TestServer;
const charged: number[] = [];

beforeAll(async () => {
  router = await localRouter(new Shop().subgraphs());
  server = await listen(router, {
    http: {
      async charge(_, { weight }) {
        charged.push(weight);
        if (weight > 20) throw new PlatformError('RATE_LIMIT_EXCEEDED', 'Too much.', { limit: 20 });
      },
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await router.close();
});

interface Answer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: unknown; extensions: Record<string, unknown> }[];
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; headers: Headers; body: Answer }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

/** Optional audits of the graphql-http package that the router fails, each with the reason. */
const NOT_FOLLOWED: Record<string, string> = {
  'SHOULD use 200 status code on document parsing failure when accepting application/json':
    '400, as over REST: proxies and monitoring see that the request was wrong',
  'SHOULD use 200 status code on document validation failure when accepting application/json': 'the same reason',
  'SHOULD use a status code of 200 on variable coercion failure when accepting application/json': 'the same reason',
};

describe('GraphQL over HTTP', () => {
  test('the router passes all audits of the graphql-http package, except the optional audits in NOT_FOLLOWED', async () => {
    const results = await auditServer({ url: server.url });
    expect(results.filter(({ status }) => status === 'error')).toEqual([]);
    const failing = results.filter(({ status }) => status !== 'ok').map(({ name }) => name);
    expect(failing.sort()).toEqual(Object.keys(NOT_FOLLOWED).sort());
  });

  test('a GraphQL query can be sent by POST and by GET', async () => {
    const query = '{ whoAmI people(limit: 1) { name } }';
    const expected = { data: { whoAmI: 'key_7', people: [{ name: 'Ada' }] } };
    expect(await post({ query }, { 'x-api-key': 'key_7' })).toMatchObject({ status: 200, body: expected });
    const get = await fetch(`${server.url}?query=${encodeURIComponent(query)}`, {
      headers: { 'x-api-key': 'key_7' },
    });
    expect(await get.json()).toEqual(expected);
  });

  test('an unsupported HTTP method on /graphql returns 405 with the allowed methods', async () => {
    const put = await fetch(server.url, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
    expect((await fetch(server.url, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  test('a persisted query without its text returns the error PersistedQueryNotSupported', async () => {
    const { body } = await post({ extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } });
    expect(body.errors?.[0]).toMatchObject({ message: 'PersistedQueryNotSupported', extensions: { code: 'INVALID_PARAMETERS' } });
  });

  test('a mutation by GET returns 405 with POST as the allowed method', async () => {
    const response = await fetch(`${server.url}?query=${encodeURIComponent('mutation { deletePerson(id: "p1") { id } }')}`, {
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    ['invalid credentials', { query: '{ whoAmI }' }, { 'x-api-key': 'bad' }, 401, 'INVALID_CREDENTIALS'],
    ['a body that is not JSON', '{bad', {}, 400, 'INVALID_JSON'],
    ['a body that is too large', { query: `# ${'x'.repeat(1024 * 1024)}\n{ whoAmI }` }, {}, 413, 'BODY_TOO_LARGE'],
    ['an unsupported media type', 'query=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a missing query', { variables: {} }, {}, 400, 'INVALID_PARAMETERS'],
    ['a list of operations', [{ query: '{ whoAmI }' }], {}, 400, 'INVALID_PARAMETERS'],
    ['a syntax error', { query: '{ people {' }, {}, 400, 'INVALID_PARAMETERS'],
    ['an unknown field', { query: '{ nothing }' }, {}, 400, 'INVALID_PARAMETERS'],
    ['a missing variable', { query: 'query ($id: ID!) { person(id: $id) { id } }' }, {}, 400, 'INVALID_PARAMETERS'],
    ['too many possible objects', { query: '{ people(limit: 1000) { orders { items { id } } } }' }, {}, 400, 'INVALID_PARAMETERS'],
    ['a subscription', { query: 'subscription { orderPlaced { id } }' }, {}, 400, 'INVALID_PARAMETERS'],
    ['an unknown operation', { query: 'query A { whoAmI }', operationName: 'B' }, {}, 400, 'INVALID_PARAMETERS'],
  ])(
    'a GraphQL request over HTTP with %s returns the expected status, error code and request id',
    async (_, body, headers, status, code) => {
      const answer = await post(body, headers as Record<string, string>);
      expect(answer.status).toBe(status);
      expect(answer.body.errors?.[0]?.extensions).toMatchObject({
        code,
        details: expect.any(Object),
        request_id: expect.stringMatching(/^req_/),
      });
      expect(JSON.stringify(answer.body)).not.toMatch(/stacktrace|node_modules/);
    },
  );

  test('a partly failed operation returns its data and errors with status 200', async () => {
    const { status, body } = await post({ query: '{ whoAmI broken }' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ whoAmI: 'key_1', broken: null });
    expect(body.errors?.[0]).toMatchObject({
      path: ['broken'],
      extensions: { code: 'INTERNAL_ERROR', request_id: expect.stringMatching(/^req_/) },
    });
  });

  test('a GraphQL operation over HTTP is charged its weight minus 1 before it runs, because the HTTP request was already charged 1', async () => {
    charged.length = 0;
    await post({ query: '{ whoAmI }' });
    await post({ query: '{ a: whoAmI b: whoAmI }' });
    await post({ query: '{ nothing }' });
    const mutations = Array.from({ length: 11 }, (_, n) => `m${n}: rename(id: "p1", name: "Eve") { id }`).join(' ');
    const refused = await post({ query: `mutation { ${mutations} }` });
    expect(charged).toEqual([0, 1, 21]);
    expect(refused.status).toBe(429);
    expect(refused.body.errors?.[0]?.extensions).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 20 },
      request_id: expect.stringMatching(/^req_/),
    });
    expect((await post({ query: '{ person(id: "p1") { name } }' })).body.data).toEqual({ person: { name: 'Ada' } });
  });

  test('after an update of the supergraph the router responds to queries without a restart', async () => {
    await router.update(router.supergraphSdl);
    expect((await post({ query: '{ people(limit: 1) { name } }' })).body.data).toEqual({ people: [{ name: 'Ada' }] });
  });
});

test('an operation that was admitted before an update of the supergraph still runs on the previous supergraph', async () => {
  const subgraphs = new Shop().subgraphs();
  const updated = await localRouter(subgraphs);
  const withoutOrders = composeSupergraph(subgraphs.filter(({ name }) => name === 'people'));
  await using updatedServer = await listen(updated, { http: { charge: () => updated.update(withoutOrders) } });
  const ask = async () => {
    const body = JSON.stringify({ query: '{ people(limit: 1) { orders { id } } }' });
    const response = await fetch(updatedServer.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return { status: response.status, body: await response.json() };
  };
  expect(await ask()).toEqual({ status: 200, body: { data: { people: [{ orders: [{ id: 'o1' }, { id: 'o2' }] }] } } });
  expect((await ask()).status).toBe(400);
  await updated.close();
});

describe('GraphiQL', () => {
  const page = () => fetch(server.url, { headers: { accept: 'text/html,application/xhtml+xml', 'x-api-key': 'bad' } });

  test('the GraphiQL page is served without credentials, and all its scripts and styles come from the same server', async () => {
    const response = await page();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
    const html = await response.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '').filter((url) => !url.startsWith('data:'));
    expect(loaded.length).toBeGreaterThan(1);
    for (const url of loaded) {
      const asset = await fetch(new URL(url, server.url));
      expect([url, asset.status, asset.headers.get('cache-control')]).toEqual([url, 200, 'public, max-age=31536000, immutable']);
      await asset.arrayBuffer();
    }
    expect((await fetch(`${server.url}/assets/..%2f..%2fpackage.json`)).status).toBe(404);
  });

  test('a request from the GraphiQL page with invalid credentials returns 401', async () => {
    expect((await fetch(server.url, { headers: { accept: 'application/json', 'x-api-key': 'bad' } })).status).toBe(401);
  });
});
