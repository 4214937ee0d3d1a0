import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Rig, rig, start } from '../rig.ts';
import { freshAddress } from '../support/addresses.ts';
import type { Tenant } from '../tenant.ts';

const PAGE = 'https://app.example.com';
const PREFLIGHT = { origin: PAGE, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization,if-match' };

/** Opens a WebSocket with this Origin header. Resolves to the response status, which is 101 if the socket opened. */
function statusOfSocket(origin: string, page: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', page ? { origin: page } : {});
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

describe('CORS with all origins allowed', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await (await rig()).organization();
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(tenant.origin + path, init);
  const allowedOf = ({ headers }: Response) => headers.get('access-control-allow-origin');

  test.each(['/v1/support/tickets', '/api/v1/support/tickets', '/graphql', '/v1/openapi.json', '/v1/events/stream', '/v1/nowhere/at/all'])(
    'a CORS preflight of %s returns 204 and may be cached for two hours',
    async (path) => {
      const response = await ask(path, { method: 'OPTIONS', headers: PREFLIGHT });
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '7200',
        'x-request-id': expect.stringMatching(/^req_/),
      });
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  test('other origins can read every API response with all headers, both successes and errors', async () => {
    const key = { origin: PAGE, authorization: `Bearer ${tenant.apiKey}` };
    const json = { ...key, 'content-type': 'application/json' };
    const responses: [number, Promise<Response>][] = [
      [200, ask('/v1/support/tickets', { headers: key })],
      [200, ask('/v1/openapi.json', { headers: { origin: PAGE } })],
      [200, ask('/graphql', { method: 'POST', headers: json, body: '{"query":"{ __typename }"}' })],
      [400, ask('/v1/support/tickets', { method: 'POST', headers: json, body: '{' })],
      [401, ask('/v1/support/tickets', { headers: { origin: PAGE } })],
      [401, ask('/graphql', { method: 'POST', headers: { ...json, authorization: 'Bearer x' }, body: '{"query":"{ __typename }"}' })],
      [404, ask('/v1/nowhere', { headers: key })],
      [404, ask('/v1/%zz', { headers: key })],
      [405, ask('/v1/support/tickets', { method: 'DELETE', headers: key })],
      [413, ask('/v1/support/agents', { method: 'POST', headers: json, body: `{"name":"${'x'.repeat(1_100_000)}"}` })],
      [415, ask('/v1/support/tickets', { method: 'POST', headers: { ...key, 'content-type': 'text/csv' }, body: 'a,b' })],
      [204, ask('/v1/support/tickets', { method: 'OPTIONS', headers: { origin: PAGE } })],
    ];
    for (const [status, sent] of responses) {
      const response = await sent;
      expect(response.status).toBe(status);
      expect(allowedOf(response), `${response.url} ${status}`).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toBe('*');
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  test('the event stream has CORS headers that allow other origins to read the stream', async () => {
    const controller = new AbortController();
    const headers = { origin: PAGE, authorization: `Bearer ${tenant.apiKey}`, accept: 'text/event-stream' };
    const response = await ask('/v1/events/stream', { headers, signal: controller.signal });
    expect([response.status, allowedOf(response)]).toEqual([200, '*']);
    controller.abort();
  });

  test.each([
    '/',
    '/docs/',
    '/login',
    '/password/forgot',
    '/oauth/authorize',
    '/oauth/device',
    '/saml/sso',
    '/saml/metadata',
    '/healthz',
    '/v1x',
  ])('%s is not part of the API and has no CORS headers', async (path) => {
    for (const init of [{ method: 'OPTIONS', headers: PREFLIGHT }, { headers: { origin: PAGE } }]) {
      const { headers } = await ask(path, { ...init, redirect: 'manual' });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('if all origins are allowed, pages of any origin and clients without an Origin header can open WebSockets', async () => {
    for (const page of [undefined, PAGE, 'null', 'capacitor://localhost']) expect(await statusOfSocket(tenant.origin, page)).toBe(101);
  });
});

describe('CORS with two allowed origins', () => {
  let own: Rig;
  let tenant: Tenant;
  beforeAll(async () => {
    own = await start({
      ALLOWED_ORIGINS: `${PAGE}, capacitor://localhost`,
      ANONYMOUS_PER_HOUR: '30',
      ANONYMOUS_PER_MINUTE: '20',
      TRUSTED_PROXIES: '127.0.0.0/8,::1',
    });
    tenant = await own.organization();
  });
  afterAll(() => own.close());

  const place = { 'x-forwarded-for': freshAddress() };
  const from = (origin: string, init: RequestInit = {}, path = '/v1/support/tickets') =>
    fetch(own.origin + path, { ...init, headers: { authorization: `Bearer ${tenant.apiKey}`, ...place, ...init.headers, origin } });

  test.each([PAGE, 'capacitor://localhost'])(
    'a response to the allowed origin %s has CORS headers, and its Vary header contains Origin',
    async (origin) => {
      const response = await from(origin);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
      expect(response.headers.get('vary')).toMatch(/\bAuthorization\b/);
      const preflight = await from(origin, { method: 'OPTIONS', headers: PREFLIGHT });
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    },
  );

  test.each([
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.example',
    'https://example.com',
    'null',
    'https://app.example.com/',
    `${PAGE}, https://evil.example`,
    '*',
  ])('a response to the origin %s, which is not allowed, has no CORS headers, and its WebSocket returns 403', async (origin) => {
    for (const response of [await from(origin), await from(origin, { method: 'OPTIONS', headers: PREFLIGHT })]) {
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
    expect(await statusOfSocket(own.origin, origin)).toBe(403);
  });

  test('pages of allowed origins, pages of the platform itself and clients without an Origin header can open WebSockets', async () => {
    for (const page of [PAGE, own.origin, undefined]) expect(await statusOfSocket(own.origin, page)).toBe(101);
  });

  test('CORS preflights do not count against the rate limit and return 204 even after the IP address exceeded its limit', async () => {
    const nobody = { origin: PAGE, ...place };
    for (let count = 0; count < 50; count++)
      expect((await from(PAGE, { method: 'OPTIONS', headers: { ...PREFLIGHT, 'access-control-request-method': 'GET' } })).status).toBe(204);
    const first = await fetch(`${own.origin}/v1/support/tickets`, { headers: nobody });
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([401, '29']);
    let refused = first;
    for (let count = 0; count < 25 && refused.status !== 429; count++)
      refused = await fetch(`${own.origin}/v1/support/tickets`, { headers: nobody });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, PAGE]);
    expect((await from(PAGE, { method: 'OPTIONS', headers: PREFLIGHT })).status).toBe(204);

    const token = await fetch(`${own.origin}/oauth/token`, { method: 'POST', headers: nobody, body: new URLSearchParams() });
    expect([token.status, token.headers.get('access-control-allow-origin')]).toEqual([429, PAGE]);
    expect((await from(PAGE, { method: 'OPTIONS', headers: PREFLIGHT }, '/oauth/token')).status).toBe(204);
  });
});
