import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { bodyLimitOf, type Route } from '../../rest-bridge/route.ts';
import { rig } from '../rig.ts';
import { operationOf, routes, titled } from '../support/operations.ts';
import { type Json, Tenant } from '../tenant.ts';
import { confirmed } from './mfa.setup.ts';

let tenant: Tenant;
/**
 * Two API keys with one permission each, by the name of this permission. Every operation requires a permission that at
 * least one of the keys lacks.
 */
let keys: Record<string, Tenant>;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  keys = { 'monitoring:read': await tenant.limitedTo('monitoring:read'), 'analytics:read': await tenant.limitedTo('analytics:read') };
});

const pathOf = ({ path }: Route): string => `/v1${path.replace(/\{\w+\}/g, 'none')}`;
const hasBody = ({ method }: Route): boolean => method === 'POST' || method === 'PUT';
const guarded = routes.filter(({ access }) => access !== 'public');
const permitted = guarded.filter((route) => operationOf(route)['x-permission'] !== undefined);

/**
 * Sends the headers and only the beginning of the body, and returns the response. A server that responds before it
 * reads the body does not wait for the rest.
 */
function responseToHead(
  route: Route,
  as: Tenant,
  body: { length: number; begin: string } | undefined,
): Promise<{ status: number; body: Json }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Json }>();
  const headers = {
    ...(as.apiKey && { authorization: `Bearer ${as.apiKey}` }),
    ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const sent = request(`${tenant.origin}${pathOf(route)}`, { method: route.method, headers, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      sent.destroy();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as Json });
    });
  });
  sent.on('error', reject);
  if (body) sent.write(body.begin);
  else sent.end();
  return promise;
}

/** Bodies that would fail if the server read them. */
const bodiesFor = (route: Route): (readonly [string, { length: number; begin: string } | undefined])[] => [
  ['no body', undefined],
  ...(hasBody(route)
    ? ([
        ['an invalid body', { length: 1, begin: '{' }],
        ['a body that is too large', { length: bodyLimitOf(route) + 1, begin: '{' }],
        ['a body that does not arrive', { length: 1_000, begin: '{"' }],
      ] as const)
    : []),
];

describe('missing permissions are reported before the body is read', () => {
  test.each(titled(permitted))('a key without the required permission gets 403 before the server reads the body: %s', async (_, route) => {
    const required = operationOf(route)['x-permission'] as string;
    const key = keys[required === 'monitoring:read' ? 'analytics:read' : 'monitoring:read'] as Tenant;
    for (const [title, body] of bodiesFor(route)) {
      const response = await responseToHead(route, key, body);
      expect(response, title).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } } });
    }
  });
});

describe('missing credentials are reported before the body is read', () => {
  test.each(titled(guarded))('a request without credentials gets 401 before the server reads the body: %s', async (_, route) => {
    const nobody = new Tenant(tenant.origin, '', '');
    for (const [title, body] of bodiesFor(route)) {
      const response = await responseToHead(route, nobody, body);
      expect(response, title).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } });
    }
  });
});

test('a request that needs a second factor gets 403 mfa_required before its invalid body is reported', async () => {
  const { user } = await confirmed(tenant);
  const again = await user.again();
  const response = await again.rest('POST', '/auth/api-keys', { body: '{' });
  expect([response.status, response.body]).toMatchObject([
    403,
    { error: 'mfa_required', challenge_id: expect.stringMatching(/^mfa/) as string },
  ]);
});

describe('permissions that depend on the body', () => {
  test.each([
    [
      'an API key with more permissions than its creator',
      'credentials:create',
      'POST',
      '/auth/api-keys',
      { name: '', permissions: ['billing:admin'] },
    ],
    [
      'an OAuth client with more scopes than its creator has',
      'credentials:create',
      'POST',
      '/auth/oauth-clients',
      { name: '', scopes: ['billing.admin'] },
    ],
    [
      'a user with a higher role than the inviter',
      'accounts:create',
      'POST',
      '/accounts/acc_1/users',
      { name: '', email: 'none', role: 'owner' },
    ],
    ['a webhook for events that its creator may not read', 'webhooks:create', 'POST', '/webhooks', { url: '', events: ['ticket.*'] }],
    [
      'an internal comment of a customer',
      'support:create',
      'POST',
      '/support/tickets/none/comments',
      { content: '', visibility: 'internal' },
    ],
  ] as const)(
    'creating %s returns INSUFFICIENT_PERMISSIONS before other errors of the body are reported',
    async (_, permission, method, path, body) => {
      const response = await (await tenant.limitedTo(permission)).rest(method, path, { body });
      expect(response.body).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    },
  );
});
