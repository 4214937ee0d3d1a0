import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { type Rig, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, type TestUser, userOf } from '../users.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'business' });
});

const verify = (user: Tenant) => user.rest('GET', '/auth/verify');
const refresh = (token: string) => tenant.rest('POST', '/auth/refresh', { body: { refresh_token: token }, headers: { authorization: '' } });
const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const withToken = (token: string) => new Tenant(tenant.origin, tenant.organizationId, token);

describe('login', () => {
  test('a login returns the user and the token fields that the specification lists', async () => {
    const user = await userOf(tenant, 'billing');
    expect(user.tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^rt_[\w-]{43}$/),
      scope: expect.stringContaining('accounts.read'),
      user_id: user.id,
      user: { id: user.id, email: user.email, role: 'billing', status: 'active', last_login: expect.stringMatching(/Z$/) },
    });
    const [header] = user.tokens.access_token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
    const claims = claimsOf(user.tokens.access_token);
    expect(claims).toMatchObject({
      iss: tenant.origin,
      aud: `${tenant.origin}/v1`,
      sub: user.id,
      organization_id: tenant.organizationId,
      permissions: expect.arrayContaining(['billing:*', 'accounts:read']),
      rate_limit: { requests_per_minute: 500 },
    });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(claims.nbf).toBe(claims.iat);
  });

  test("a login grants the permissions of the user's role over REST, GraphQL and WebSocket", async () => {
    const user = await userOf(tenant, 'billing');
    expect((await user.rest('GET', '/billing/invoices')).status).toBe(200);
    expect((await user.rest('GET', '/auth/api-keys')).body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
    expect((await user.graphql('{ invoices { nodes { id } } apiKeys { nodes { id } } }')).errors).toMatchObject([
      { path: ['apiKeys'], extensions: { code: 'INSUFFICIENT_PERMISSIONS' } },
    ]);
    const socket = user.socket();
    const { value } = await socket.iterate({ query: '{ callerIdentity { id type user { email } } }' }).next();
    expect(value?.data).toEqual({ callerIdentity: { id: user.id, type: 'user', user: { email: user.email } } });
    await socket.dispose();
  });

  test('GraphQL operations without credentials return INVALID_CREDENTIALS, except the mutation login', async () => {
    const { email } = await userOf(tenant);
    const nobody = new Tenant(tenant.origin, '', '');
    const mutation = 'mutation($input: LoginInput!) { login(input: $input) { accessToken user { id } } }';
    const { data, errors } = await nobody.graphql(mutation, { input: { email, password: PASSWORD } });
    expect(errors).toBeUndefined();
    expect((await verify(withToken(data.login.accessToken))).body.data.id).toBe(data.login.user.id);

    for (const query of [
      '{ organization { id } }',
      '{ callerIdentity { id } }',
      '{ __schema { queryType { name } } }',
      '{ accounts { nodes { id } } }',
    ]) {
      const refused = await nobody.graphql(query);
      expect(refused.errors, query).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
    }
  });

  test('a login with a wrong password returns the same 401 response as a login with an unknown email address', async () => {
    const { email } = await userOf(tenant);
    const [wrong, unknown] = [await login(tenant, email, 'not the password'), await login(tenant, `${newId('user')}@example.com`, 'x')];
    expect(wrong.status).toBe(401);
    const { request_id: _, ...error } = wrong.body.error;
    expect(error).toEqual({ code: 'INVALID_CREDENTIALS', message: 'Invalid e-mail address or password.', details: {} });
    expect({ ...unknown.body.error, request_id: '' }).toEqual({ ...wrong.body.error, request_id: '' });
  });

  test('a login ignores the case of the email address', async () => {
    const { email } = await userOf(tenant);
    expect((await login(tenant, ` ${email.toUpperCase()} `)).status).toBe(200);
  });

  test('logins with a known or unknown email address return 429 for 15 minutes after five failures', async () => {
    const { email } = await userOf(tenant);
    for (const address of [email, `${newId('user')}@example.com`]) {
      for (let attempt = 0; attempt < 5; attempt += 1) expect((await login(tenant, address, 'wrong')).status).toBe(401);
      const { status, headers, body } = await login(tenant, address);
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(body.error.details).toMatchObject({ window: 'login', limit: 5, remaining: 0, retry_after: expect.any(Number) });
      expect(Number(headers.get('retry-after'))).toBe(body.error.details.retry_after);
    }
    await platform.advance(15 * 60_000 + 1000);
    expect((await login(tenant, email)).status).toBe(200);
  });

  test('five of twelve concurrent logins with a wrong password are checked, and the others return 429', async () => {
    const { email } = await userOf(tenant);
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await login(tenant, email, 'wrong')).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  test('a successful login resets the count of failed logins', async () => {
    const { email } = await userOf(tenant);
    for (let round = 0; round < 2; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await login(tenant, email, 'wrong');
      expect((await login(tenant, email)).status).toBe(200);
    }
  });

  test.each([
    [{ email: 'a@example.com' }, 'password'],
    [{ password: 'x' }, 'email'],
    [{ email: '', password: 'x' }, 'email'],
    [{ email: 'a@example.com', password: 'x'.repeat(1025) }, 'password'],
    [{ email: 'a@example.com', password: 5 }, 'password'],
    [{ email: 'a@example.com', password: 'x', remember: true }, 'remember'],
  ])('a login with %j returns 400 for the field %s, and the error does not contain the password', async (body, field) => {
    const { status, body: response } = await tenant.rest('POST', '/auth/login', { body });
    expect(status).toBe(400);
    expect(response.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
    expect(JSON.stringify(response)).not.toContain('xxxxx');
  });
});

describe('access tokens', () => {
  test('an access token returns 401 TOKEN_EXPIRED after one hour', async () => {
    const user = await userOf(tenant);
    expect((await verify(user)).status).toBe(200);
    await platform.advance(3600_000);
    const { status, body } = await verify(user);
    expect([status, body.error.code]).toEqual([401, 'TOKEN_EXPIRED']);
    expect(body.error.details).toHaveProperty('expired_at');
  });

  test("an access token gets 403 after its user's role is reduced and 401 after its user is suspended or removed", async () => {
    const user = await userOf(tenant, 'admin');
    const path = `/accounts/${user.account.id}/users/${user.id}`;
    expect((await user.rest('GET', '/auth/api-keys')).status).toBe(200);
    await tenant.rest('PUT', path, { body: { role: 'read_only' } });
    expect((await user.rest('GET', '/auth/api-keys')).status).toBe(403);
    await tenant.rest('PUT', path, { body: { status: 'suspended' } });
    expect((await verify(user)).status).toBe(401);
    expect((await login(tenant, user.email)).body.error).toMatchObject({ code: 'ACCESS_RESTRICTED' });
    expect((await login(tenant, user.email, 'wrong')).body.error).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await tenant.rest('PUT', path, { body: { status: 'active' } });
    expect((await verify(user)).status).toBe(401);
    const again = await user.again();
    expect((await tenant.rest('DELETE', path)).status).toBe(200);
    expect((await verify(again)).status).toBe(401);
  });

  test('logging out closes the sockets of the session with the code 4403', async () => {
    const user = await userOf(tenant);
    const socket = user.socket();
    const followed = socket.iterate({ query: 'subscription { events { id } }' }).next();
    expect((await socket.iterate({ query: '{ callerIdentity { id } }' }).next()).value?.data).toBeTruthy();
    const closed = expect(followed).rejects.toMatchObject({ code: 4403 });
    await user.rest('POST', '/auth/logout');
    await closed;
    const late = user.socket();
    await expect(late.iterate({ query: '{ callerIdentity { id } }' }).next()).rejects.toMatchObject({ code: 4401 });
  });
});

describe('refresh tokens', () => {
  test('a refresh token returns a new access token and refresh token for the same session', async () => {
    const user = await userOf(tenant);
    const { status, body } = await refresh(user.tokens.refresh_token);
    expect(status).toBe(200);
    expect(body.data.session_id).toBe(user.tokens.session_id);
    expect(body.data.refresh_token).not.toBe(user.tokens.refresh_token);
    expect((await verify(withToken(body.data.access_token))).body.data.session_id).toBe(user.tokens.session_id);
  });

  test('reusing a refresh token returns 401 and revokes all tokens of its session', async () => {
    const user = await userOf(tenant);
    const { body } = await refresh(user.tokens.refresh_token);
    const replayed = await refresh(user.tokens.refresh_token);
    expect([replayed.status, replayed.body.error.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await verify(user)).status).toBe(401);
    expect((await verify(withToken(body.data.access_token))).status).toBe(401);
    expect((await refresh(body.data.refresh_token)).status).toBe(401);
    // other sessions of the user continue
    expect((await verify(await user.again())).status).toBe(200);
  });

  test('one of two concurrent uses of a refresh token succeeds, and the other returns 401', async () => {
    const user = await userOf(tenant);
    const responses = await Promise.all([refresh(user.tokens.refresh_token), refresh(user.tokens.refresh_token)]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('a refresh token returns 401 after 14 days without use, or when its session is 30 days old', async () => {
    const user = await userOf(tenant);
    await platform.advance(14 * 86_400_000 + 1000);
    expect((await refresh(user.tokens.refresh_token)).status).toBe(401);

    let { refresh_token: token } = (await user.again()).tokens;
    for (let days = 0; days < 30; days += 10) {
      await platform.advance(days === 20 ? 10 * 86_400_000 + 1000 : 10 * 86_400_000);
      const { status, body } = await refresh(token);
      expect(status).toBe(days === 20 ? 401 : 200);
      token = body.data?.refresh_token;
    }
  });

  test('an unknown refresh token returns 401', async () => {
    for (const token of ['rt_nothing', '', 'x'.repeat(200)]) expect((await refresh(token)).status).toBe(401);
    expect((await refresh('x'.repeat(201))).status).toBe(400);
  });
});

describe('session management', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await userOf(tenant, 'member');
  });

  test('a user can list their sessions with IP address and User-Agent, and can delete one of them', async () => {
    const other = await user.again();
    const { body } = await user.rest('GET', '/auth/sessions');
    expect(body.data.map(({ id }: Json) => id).toSorted()).toEqual([user.tokens.session_id, other.tokens.session_id].toSorted());
    expect(body.data.filter(({ current }: Json) => current).map(({ id }: Json) => id)).toEqual([user.tokens.session_id]);
    expect(body.data[0]).toMatchObject({ method: 'password', user_id: user.id, ip_address: '127.0.0.1', user_agent: expect.any(String) });

    const ended = await user.rest('DELETE', `/auth/sessions/${other.tokens.session_id}`);
    expect([ended.status, ended.body.data.id]).toEqual([200, other.tokens.session_id]);
    expect((await verify(other)).status).toBe(401);
    expect((await verify(user)).status).toBe(200);
    expect((await user.rest('DELETE', `/auth/sessions/${other.tokens.session_id}`)).status).toBe(404);
  });

  test('deleting a session of another user returns 404, unless the caller may administrate credentials', async () => {
    const colleague = await userOf(tenant, 'member');
    const path = `/auth/sessions/${colleague.tokens.session_id}`;
    expect((await user.rest('DELETE', path)).body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect((await user.rest('GET', `/auth/sessions?user_id=${colleague.id}`)).status).toBe(403);
    const admin = await userOf(tenant, 'admin');
    expect((await admin.rest('GET', `/auth/sessions?user_id=${colleague.id}`)).body.data).toHaveLength(1);
    expect((await admin.rest('DELETE', path)).status).toBe(200);
    expect((await verify(colleague)).status).toBe(401);
  });

  test("logging out revokes the session's tokens, and logging out with an API key returns INVALID_STATE", async () => {
    const login = await user.again();
    const { status, body } = await login.rest('POST', '/auth/logout');
    expect([status, body.data.id]).toEqual([200, login.tokens.session_id]);
    expect((await login.rest('POST', '/auth/logout')).status).toBe(401);
    expect((await refresh(login.tokens.refresh_token)).status).toBe(401);
    expect((await tenant.rest('POST', '/auth/logout')).body.error).toMatchObject({ code: 'INVALID_STATE' });
    expect((await tenant.rest('GET', '/auth/sessions')).body.data).toEqual([]);
  });
});

test('GET /auth/verify with an API key returns its identity and permissions', async () => {
  const key = await tenant.limitedTo('services:read', 'billing:read');
  expect((await verify(key)).body.data).toEqual({
    active: true,
    type: 'api_key',
    id: expect.stringMatching(/^ak_/),
    organization_id: tenant.organizationId,
    plan: 'business',
    permissions: ['services:read', 'billing:read'],
    accounts: null,
    session_id: null,
    client_id: null,
    needs_second_factor: false,
    user: null,
  });
});
