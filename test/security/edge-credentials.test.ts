import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEdgeRig, type EdgeRig } from './edge-rig.ts';

let rig: EdgeRig;
beforeEach(() => {
  rig = createEdgeRig();
});
afterEach(() => rig.app.close());

const get = (url: string, headers: Record<string, string> = {}) => rig.app.inject({ url, headers });

test('an API key is accepted as a bearer token, in X-API-Key, and in both if the two keys are equal', async () => {
  const { key, principal } = rig.addKey('developer');
  for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }, { authorization: `bearer  ${key}`, 'x-api-key': key }]) {
    const response = await get('/things/1', headers as Record<string, string>);
    expect(response.statusCode).toBe(200);
    expect(response.json().organization).toBe(principal.organizationId);
  }
});

test.each([
  ['no credentials', {}],
  ['an unknown key', { authorization: 'Bearer sk_live_unknown' }],
  ['another authorization scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ['a bearer without a token', { authorization: 'Bearer ' }],
  ['a token that contains a space', { authorization: 'Bearer one two' }],
  ['an empty X-API-Key', { 'x-api-key': '' }],
  ['two different credentials', { authorization: 'Bearer sk_live_one', 'x-api-key': 'sk_live_two' }],
])('a request with %s returns 401 with the standard error body and WWW-Authenticate', async (_, headers) => {
  const response = await get('/things/1', headers as Record<string, string>);
  expect(response.statusCode).toBe(401);
  expect(response.headers['www-authenticate']).toBe('Bearer');
  expect(response.headers['x-ratelimit-limit']).toBe('1000');
  expect(response.json()).toEqual({
    error: { code: 'INVALID_CREDENTIALS', message: expect.any(String), details: {}, request_id: response.headers['x-request-id'] },
  });
  expect(response.body).not.toContain('sk_live_');
});

test('each response has a new request id, even if the caller sends a request id', async () => {
  const responses = await Promise.all([get('/open', { 'x-request-id': 'mine' }), get('/open'), get('/nowhere')]);
  const ids = responses.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('a public route requires no credentials, ignores invalid credentials and grants no permissions', async () => {
  const response = await get('/open', { authorization: 'Basic b2F1dGg6Y2xpZW50' });
  expect(response.statusCode).toBe(200);
  expect(response.json().principal).toMatchObject({ organizationId: '', grants: [] });
  expect(rig.seen).toEqual([]);
});

test('an unknown path returns 404 with valid or no credentials and 401 with invalid credentials', async () => {
  expect((await get('/nowhere')).json().error.code).toBe('ROUTE_NOT_FOUND');
  expect((await get('/nowhere', { 'x-api-key': rig.addKey('developer').key })).statusCode).toBe(404);
  expect((await get('/nowhere', { 'x-api-key': 'sk_live_unknown' })).statusCode).toBe(401);
});

test.each(['/things/%zz', '/%E4%A', '/%'])('the undecodable path %s returns 404 ROUTE_NOT_FOUND with rate limit headers', async (path) => {
  const response = await get(path);
  expect(response.statusCode).toBe(404);
  expect(response.json().error).toMatchObject({
    code: 'ROUTE_NOT_FOUND',
    message: expect.stringContaining(path),
    request_id: response.headers['x-request-id'],
  });
  expect(response.headers['x-ratelimit-remaining']).toBe('999');
});

test('a path with a record id of 4000 characters reaches its route', async () => {
  const id = 'x'.repeat(4000);
  expect((await get(`/things/${id}`, { 'x-api-key': rig.addKey('developer').key })).json().id).toBe(id);
});

test('the client address is read from X-Forwarded-For only if the sender is a trusted proxy', async () => {
  const { key } = rig.addKey('developer');
  await get('/things/1', { 'x-api-key': key, 'x-forwarded-for': '203.0.113.9' });
  expect(rig.seen.at(-1)?.ip).toBe('127.0.0.1');

  const behindProxy = createEdgeRig({ trustedProxies: ['127.0.0.0/8'] });
  const other = behindProxy.addKey('developer');
  await behindProxy.app.inject({ url: '/things/1', headers: { 'x-api-key': other.key, 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } });
  expect(behindProxy.seen.at(-1)?.ip).toBe('203.0.113.9');
  await behindProxy.app.close();
});

test('an internal error returns 500 INTERNAL_ERROR without details and is logged with the request id', async () => {
  const response = await get('/broken', { 'x-api-key': rig.addKey('developer').key });
  expect(response.statusCode).toBe(500);
  expect(response.json().error.code).toBe('INTERNAL_ERROR');
  expect(response.body).not.toContain('select');
  const line = rig.logged.find((entry) => entry.includes(String(response.headers['x-request-id'])));
  expect(line).toContain('edge-rig.ts');
  expect(line).not.toContain('select');
  expect(line).not.toContain('sk_live_');
});

test.each([
  ['not JSON', 400, 'INVALID_JSON', 'application/json', '{"a":'],
  ['JSON that sets a prototype', 400, 'INVALID_JSON', 'application/json', '{"__proto__":{"a":1}}'],
  ['of another type', 415, 'UNSUPPORTED_MEDIA_TYPE', 'text/csv', 'a,b'],
  ['larger than 256 KiB', 413, 'BODY_TOO_LARGE', 'application/json', JSON.stringify('x'.repeat(1_100_000))],
])('a request body that is %s is rejected with %i %s', async (_, status, code, type, payload) => {
  const response = await rig.app.inject({
    method: 'POST',
    url: '/things/1',
    headers: { 'x-api-key': rig.addKey('developer').key, 'content-type': type },
    payload,
  });
  expect(response.statusCode).toBe(status);
  expect(response.json().error).toMatchObject({ code, request_id: response.headers['x-request-id'] });
});

test('a WebSocket is authenticated by its connection parameters, and its operations count against the rate limit', async () => {
  const { key, principal } = rig.addKey('developer');
  const socket = await rig.edge.admit({ requestId: 'req_1', ip: '127.0.0.1', params: { authorization: `Bearer ${key}` } });
  expect(socket.principal).toBe(principal);
  await socket.charge({ weight: 5 });
  expect((await get('/free', { 'x-api-key': key })).headers['x-ratelimit-remaining']).toBe('995');
  await expect(rig.edge.admit({ requestId: 'req_2', ip: '127.0.0.1', params: {} })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});

test('a failed recheck of the credentials of an open socket does not count against the limit of the IP address', async () => {
  const strict = createEdgeRig({ anonymous: { perHour: 1, burst: 1 } });
  const opening = { requestId: 'req_1', ip: '203.0.113.9', params: { 'x-api-key': 'sk_live_revoked' } };
  const checked = { ...opening, isRecheck: true };
  for (let n = 0; n < 3; n++) await expect(strict.edge.admit(checked)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(strict.edge.admit(opening)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(strict.edge.admit(opening)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await expect(strict.edge.admit(checked)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});

test('a signature is checked for the sent method and path, and no signature is needed when the credentials of an open socket are checked again', async () => {
  const { key } = rig.addKey('developer');
  await get('/things/1?a=%20b', { 'x-api-key': key, 'x-timestamp': '1', 'x-signature': 'x' });
  expect(rig.seen.at(-1)?.signing).toEqual({ method: 'GET', path: '/things/1?a=%20b', timestamp: '1', signature: 'x' });
  const opening = {
    requestId: 'req_1',
    ip: '127.0.0.1',
    request: { url: '/graphql?x' } as IncomingMessage,
    params: { 'x-api-key': key, 'x-signature': 'x' },
  };
  await rig.edge.admit(opening);
  expect(rig.seen.at(-1)?.signing).toEqual({ method: 'GET', path: '/graphql?x', timestamp: undefined, signature: 'x' });
  await rig.edge.admit({ ...opening, isRecheck: true });
  expect(rig.seen.at(-1)?.signing).toBe('checked at opening');
});
