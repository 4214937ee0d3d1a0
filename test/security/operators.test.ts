import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { permissionsIn } from '../../rest-bridge/permission.ts';
import { PlatformAccess } from '../../subgraphs/identity/user.states.ts';
import { User } from '../../subgraphs/identity/users/user.entity.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { isOperators, operationOf, routes, titled } from '../support/operations.ts';
import { freshEmail } from '../support/record-kinds.ts';
import type { Json, Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';
import { totp, verifyCode } from './mfa.setup.ts';

const operators = routes.filter(isOperators);

let tenant: Tenant;
let platform: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  platform = await operator();
});

const filled = (path: string, id = tenant.organizationId): string => path.replace('{organization_id}', id).replace(/\{\w+\}/g, 'none');

describe('wildcards and operator permissions', () => {
  test.each(titled(operators))('the operator operation %s returns 403 to a caller with wildcard permissions', async (_, route) => {
    const required = operationOf(route)['x-permission'];
    expect(required).toMatch(/^platform:/);
    for (const caller of [tenant, await platform.limitedTo('*:*'), await userOf(tenant, 'owner')]) {
      const { status, body } = await caller.rest(route.method, filled(route.path), { body: route.example });
      expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required } } });
      expect(status).toBe(403);
    }
  });

  test('the route table contains more than three operator operations', () => {
    expect(operators.length).toBeGreaterThan(3);
  });
});

test('the GraphQL field of each operator operation requires platform:read for GET routes and platform:admin for all other routes', () => {
  const permissionOf = permissionsIn(readFileSync('schema/supergraph.graphql', 'utf8'));
  for (const route of operators) {
    const root = route.method === 'GET' ? 'Query' : 'Mutation';
    expect(permissionOf(`${root}.${route.field}`), route.operationId).toBe(route.method === 'GET' ? 'platform:read' : 'platform:admin');
  }
});

describe('platform permissions', () => {
  const EVERYWHERE = [
    ['an API key', '/auth/api-keys', { name: 'Robot', permissions: ['platform:read'] }],
    ['an OAuth client', '/auth/oauth-clients', { name: 'Robot', grant_types: ['client_credentials'], scopes: ['platform.read'] }],
    [
      'a trusted issuer',
      '/auth/trusted-issuers',
      {
        name: 'Robot',
        issuer: 'https://tokens.example.com',
        audience: 'https://api.example.com',
        jwks_uri: 'https://tokens.example.com/jwks.json',
        permissions: ['platform:read'],
      },
    ],
  ] as const;

  test.each(EVERYWHERE)(
    'a caller without platform:read gets INSUFFICIENT_PERMISSIONS when granting this permission to %s',
    async (_, path, body) => {
      const refused = await tenant.rest('POST', path, { body });
      expect(refused.body).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'platform:read' } } });
    },
  );

  test.each(EVERYWHERE.slice(1))(
    'the operator gets 400 INVALID_PARAMETERS when granting a platform permission to %s',
    async (_, path, body) => {
      const refused = await platform.rest('POST', path, { body });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    },
  );

  test('a key outside the operator organization gets 403 for operator operations, even if platform:admin is stored for it', async () => {
    const { assembly } = await rig();
    const { body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Robot', permissions: ['accounts:read'] } });
    const { rows } = assembly.domains.identity.core.ports;
    await rows.query(`update "identity"."api_key" set "permissions" = '["platform:admin"]' where "id" = $1`, [body.api_key.id]);
    const key = Object.assign(Object.create(Object.getPrototypeOf(tenant)), tenant, { apiKey: body.api_key.key });
    expect((await key.rest('GET', '/operator/organizations')).status).toBe(403);
  });

  test('a key with platform:admin or platform:read can list organizations, and changing a plan requires platform:admin', async () => {
    const reader = await platform.limitedTo('platform:read');
    expect((await reader.rest('GET', '/operator/organizations')).status).toBe(200);
    const { body } = await reader.rest('PUT', filled('/operator/organizations/{organization_id}/plan'), { body: { plan: 'developer' } });
    expect(body.error.details).toEqual({ required: 'platform:admin' });
    expect((await (await platform.limitedTo('platform:admin')).rest('GET', '/operator/organizations')).status).toBe(200);
  });
});

describe('operator users', () => {
  const create = (caller: Tenant): Promise<{ status: number; body: Json }> =>
    caller.rest('POST', '/operator/organizations', {
      body: { name: 'Made by a user', plan: 'developer', administrator: { name: 'Ada', email: freshEmail() } },
    });

  test('an operator user can list organizations without a second factor but gets mfa_required for changes', async () => {
    const user = await operating(PlatformAccess.ADMIN);
    expect((await user.rest('GET', '/operator/organizations')).status).toBe(200);
    // operations that are not operator operations require no second factor
    expect((await user.rest('PUT', '/organization', { body: {} })).status).toBe(200);
    const refused = await create(user);
    expect([refused.status, refused.body.error]).toEqual([403, 'mfa_required']);
    const key = await user.rest('POST', '/auth/api-keys', { body: { name: 'Robot', permissions: ['platform:admin'] } });
    expect([key.status, key.body.error]).toEqual([403, 'mfa_required']);

    const { body } = await user.rest('POST', '/auth/mfa/totp/setup');
    expect((await verifyCode(user, refused.body.challenge_id, await totp(body.data.secret))).status).toBe(200);
    expect((await create(user)).status).toBe(201);
  });

  test('a caller without platform:read gets an error that names this permission when changing or deleting an operator user', async () => {
    const user = await operating(PlatformAccess.READ);
    const owner = await platform.limitedTo('*:*');
    const path = `/accounts/${user.account.id}/users/${user.id}`;
    const refusals = [
      await owner.rest('PUT', path, { body: { status: 'suspended' } }),
      await owner.rest('DELETE', path),
      await owner.rest('DELETE', `/auth/mfa/users/${user.id}`),
      await owner.rest('DELETE', `/auth/sessions/${user.tokens.session_id}`),
    ];
    for (const { body } of refusals) expect(body.error.details).toEqual({ required: 'platform:read' });
  });

  test('the session token of an operator user has the scope *.*, which contains no platform permission', async () => {
    const user = await operating(PlatformAccess.ADMIN);
    const { body } = await user.rest('GET', '/auth/verify');
    expect(body.data.permissions).toEqual(['*:*', 'platform:admin']);
    expect(user.tokens.scope).toBe('*.*');
  });

  /** Creates an owner of the operator organization with this platform access. */
  async function operating(access: PlatformAccess): Promise<TestUser> {
    const user = await userOf(platform);
    const { orm } = (await rig()).assembly.domains.identity.core.ports;
    await orm.em.fork().nativeUpdate(User, { id: user.id }, { platformAccess: access }, { filters: { organization: false } });
    return user.again();
  }
});
