import { beforeAll, describe, expect, test } from 'vitest';
import { basic, clientToken, form, refresh, registered, statusWith, type TestClient, tokensOf } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import type { RestResponse, Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

const introspect = (of: TestClient, token: string): Promise<RestResponse> =>
  form(tenant.origin, '/oauth/introspect', { token }, { authorization: basic(of) });
const revoke = (of: TestClient, token: string): Promise<RestResponse> =>
  form(tenant.origin, '/oauth/revoke', { token }, { authorization: basic(of) });
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

describe('token introspection', () => {
  test("introspecting a user's access token returns active: true with its scope, client, user and organization", async () => {
    const { access_token } = await tokensOf(user, client);
    const { status, body } = await introspect(client, access_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      active: true,
      token_type: 'Bearer',
      scope: 'services.read',
      client_id: client.id,
      sub: user.id,
      organization_id: tenant.organizationId,
      aud: `${tenant.origin}/v1`,
    });
  });

  test('introspecting a refresh token or a login token returns active: true and the user id', async () => {
    const { refresh_token } = await tokensOf(user, client);
    expect((await introspect(client, refresh_token)).body).toMatchObject({ active: true, sub: user.id });
    const { apiKey } = await user.again();
    expect((await introspect(client, apiKey)).body).toMatchObject({ active: true, sub: user.id });
  });

  test('introspecting a token of another organization returns only active: false', async () => {
    const stranger = await registered(await (await rig()).organization());
    const { access_token, refresh_token } = await tokensOf(user, client);
    for (const token of [access_token, refresh_token]) expect((await introspect(stranger, token)).body).toEqual({ active: false });
  });

  test('introspection by a public OAuth client returns active: true for its own tokens and active: false for other tokens', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const ask = async (token: string) => (await form(tenant.origin, '/oauth/introspect', { token, client_id: open.id })).body.active;
    const [mine, theirs] = [await tokensOf(user, open), await tokensOf(user, client)];
    expect([await ask(mine.access_token), await ask(theirs.access_token), await ask(theirs.refresh_token)]).toEqual([true, false, false]);
  });

  test.each(['nonsense', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'])(
    'introspecting the malformed token %s returns active: false',
    async (token) => {
      expect(await introspect(client, token)).toMatchObject({ status: 200, body: { active: false } });
    },
  );

  test('introspecting a changed or expired token returns active: false, and API requests with this token return 401', async () => {
    const { access_token } = (await clientToken(tenant.origin, client)).body;
    const [header, payload = '', signature] = access_token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), permissions: ['*:*'] }));
    const tampered = [header, forged.toString('base64url'), signature].join('.');
    expect((await introspect(client, tampered)).body).toEqual({ active: false });
    expect(await statusWith(tenant, tampered)).toBe(401);
    await (await rig()).advance(3_601_000);
    expect((await introspect(client, access_token)).body).toEqual({ active: false });
    expect(await statusWith(tenant, access_token)).toBe(401);
  });

  test('introspection returns 401 for a missing or wrong client secret and 400 for a request without a token', async () => {
    expect(await introspect({ ...client, secret: 'wrong' }, 'a.b.c')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await introspect({ ...client, secret: 'wrong' }, 'a.b.c')).headers.get('www-authenticate')).toContain('Basic');
    expect((await form(tenant.origin, '/oauth/introspect', { token: 'a.b.c', client_id: client.id })).status).toBe(401);
    const without = await form(tenant.origin, '/oauth/introspect', {}, { authorization: basic(client) });
    expect(without).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('token revocation', () => {
  test('a revoked access token immediately returns 401, and its refresh token stays valid', async () => {
    const { access_token, refresh_token } = await tokensOf(user, client);
    expect(await statusWith(tenant, access_token)).toBe(200);
    expect(await revoke(client, access_token)).toMatchObject({ status: 200, body: '' });
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect((await introspect(client, access_token)).body).toEqual({ active: false });
    expect((await refresh(tenant.origin, client, refresh_token)).status).toBe(200);
  });

  test('a revoked client_credentials token returns 401, and the client can get a new token', async () => {
    const { access_token } = (await clientToken(tenant.origin, client)).body;
    await revoke(client, access_token);
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect(await statusWith(tenant, (await clientToken(tenant.origin, client)).body.access_token)).toBe(200);
  });

  test('revoking a refresh token also revokes all access tokens of the same grant', async () => {
    const { access_token, refresh_token } = await tokensOf(user, client);
    const { body } = await refresh(tenant.origin, client, refresh_token);
    expect((await revoke(client, refresh_token)).status).toBe(200);
    for (const token of [access_token, body.access_token]) expect(await statusWith(tenant, token)).toBe(401);
    expect(await refresh(tenant.origin, client, refresh_token)).toMatchObject(INVALID_GRANT);
  });

  test('revoking a token of another client returns 200 and leaves the token valid', async () => {
    const other = await registered(tenant);
    const { access_token, refresh_token } = await tokensOf(user, client);
    const { apiKey } = await user.again();
    for (const token of [access_token, refresh_token, apiKey, 'nonsense', 'a.b.c']) {
      expect(await revoke(other, token)).toMatchObject({ status: 200, body: '' });
    }
    for (const token of [access_token, apiKey]) expect(await statusWith(tenant, token)).toBe(200);
    expect((await refresh(tenant.origin, client, refresh_token)).status).toBe(200);
  });
});
