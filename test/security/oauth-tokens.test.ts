import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorized,
  authorizeUrl,
  CALLBACK,
  challengeOf,
  clientToken,
  exchange,
  form,
  newVerifier,
  own,
  refresh,
  registered,
  signIn,
  statusWith,
  type TestClient,
  tokensOf,
} from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser, type Page } from '../support/browser.ts';
import type { Tenant } from '../tenant.ts';
import { PASSWORD, type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

describe('client credentials', () => {
  test('a client_credentials request returns a token of the client itself, without a refresh token or user', async () => {
    const { status, body } = await clientToken(tenant.origin, client, 'services.read');
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'services.read' });
    expect(decodeJwt(body.access_token)).toMatchObject({ sub: client.id, client_id: client.id, permissions: ['services:read'] });

    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await tenant.rest('GET', '/auth/verify', { headers })).body.data).toMatchObject({
      type: 'client',
      id: client.id,
      organization_id: tenant.organizationId,
      permissions: ['services:read'],
      needs_second_factor: false,
    });
    expect(await statusWith(tenant, body.access_token)).toBe(200);
    expect(await statusWith(tenant, body.access_token, '/support/tickets')).toBe(403);
  });

  test('a form-encoded client_credentials request that names no scope returns a token with all scopes of the client', async () => {
    const { body } = await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials', ...own(client) });
    expect(body.scope).toBe('services.read services.write support.read');
  });

  test.each([
    ['a wrong secret', { secret: 'cs_wrong' }, 401, 'invalid_client'],
    ['an unknown client', { id: 'client_none' }, 401, 'invalid_client'],
    ['no secret', { secret: undefined }, 400, 'invalid_request'],
  ])('a client_credentials request with %s (%j) is rejected with %i %s', async (_, members, status, error) => {
    const refused = await clientToken(tenant.origin, { ...client, ...members }, 'services.read');
    expect(refused).toMatchObject({ status, body: { error } });
  });

  test('a client_credentials request returns 400 for scopes that the client lacks and for requests without client authentication', async () => {
    expect(await clientToken(tenant.origin, client, 'services.read billing.read')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope', scope: 'billing.read' },
    });
    expect(await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  test('a client_credentials request returns 400 to a public client and to a client without this grant type', async () => {
    const codes = await registered(tenant, { grant_types: ['authorization_code'] });
    expect((await clientToken(tenant.origin, codes)).status).toBe(400);
    const open = await registered(tenant, { is_confidential: false });
    const response = await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials', client_id: open.id });
    expect(response.status).toBe(400);
  });
});

describe('refresh tokens', () => {
  test('each refresh by a public client returns a new refresh token', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const first = await tokensOf(user, open);
    const second = (await refresh(tenant.origin, open, first.refresh_token)).body;
    expect(second.refresh_token).toMatch(/^rt_/);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const third = (await refresh(tenant.origin, open, second.refresh_token)).body;
    expect(await statusWith(tenant, third.access_token)).toBe(200);
  });

  test('reusing a refresh token of a public client returns invalid_grant and revokes all tokens of the grant', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const first = await tokensOf(user, open);
    const second = (await refresh(tenant.origin, open, first.refresh_token)).body;
    expect(await refresh(tenant.origin, open, first.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await refresh(tenant.origin, open, second.refresh_token)).toMatchObject(INVALID_GRANT);
    for (const { access_token } of [first, second]) expect(await statusWith(tenant, access_token)).toBe(401);
  });

  test('a refresh can request fewer scopes, and returns invalid_scope for additional scopes', async () => {
    const { refresh_token } = await tokensOf(user, client, 'services.read support.read');
    expect((await refresh(tenant.origin, client, refresh_token, { scope: 'support.read' })).body.scope).toBe('support.read');
    const wider = await refresh(tenant.origin, client, refresh_token, { scope: 'services.write' });
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('a refresh by another client returns invalid_grant, and a refresh without the correct client secret returns 401', async () => {
    const { refresh_token } = await tokensOf(user, client);
    expect(await refresh(tenant.origin, await registered(tenant), refresh_token)).toMatchObject(INVALID_GRANT);
    expect((await refresh(tenant.origin, { ...client, secret: 'wrong' }, refresh_token)).status).toBe(401);
    expect((await refresh(tenant.origin, { id: client.id, secret: undefined }, refresh_token)).status).toBe(401);
  });

  test('a refresh token expires after 30 days, or after 14 days without use if the client is public', async () => {
    const { advance } = await rig();
    const open = await registered(tenant, { is_confidential: false });
    const idle = await tokensOf(user, open);
    const kept = await tokensOf(user, client);
    await advance(15 * 86_400_000);
    expect(await refresh(tenant.origin, open, idle.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await refresh(tenant.origin, client, kept.refresh_token)).toMatchObject({ status: 200 });
    await advance(16 * 86_400_000);
    expect(await refresh(tenant.origin, client, kept.refresh_token)).toMatchObject(INVALID_GRANT);
  });
});

describe('changes of an OAuth client', () => {
  const change = (path: string, method: string, body?: unknown) => tenant.rest(method, `/auth/oauth-clients/${path}`, { body });
  const clientWithTokens = async () => {
    const made = await registered(tenant);
    const tokens = await tokensOf(user, made, 'services.read support.read');
    const { access_token } = (await clientToken(tenant.origin, made)).body;
    for (const token of [tokens.access_token, access_token]) expect(await statusWith(tenant, token)).toBe(200);
    return { made, tokens, clientsToken: access_token as string };
  };

  test.each([
    ['is deleted', 'DELETE', '', undefined],
    ['is switched off', 'PUT', '', { active: false }],
    ['gets a new secret with revoke_tokens', 'POST', '/rotate', { revoke_tokens: true }],
  ])('if an OAuth client %s, all its tokens immediately return 401', async (_, method, path, body) => {
    const { made, tokens, clientsToken } = await clientWithTokens();
    expect((await change(made.id + path, method, body)).status).toBe(200);
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(401);
    expect((await refresh(tenant.origin, made, tokens.refresh_token)).status).toBe(401);
    expect((await clientToken(tenant.origin, made)).status).toBe(401);
  });

  test('an OAuth client that is enabled again can get new tokens, but its old tokens stay invalid', async () => {
    const { made, tokens, clientsToken } = await clientWithTokens();
    await change(made.id, 'PUT', { active: false });
    const page = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client: made }));
    expect(page.text).toContain('This application is not known');
    await change(made.id, 'PUT', { active: true });
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(401);
    expect(await refresh(tenant.origin, made, tokens.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await statusWith(tenant, (await clientToken(tenant.origin, made)).body.access_token)).toBe(200);
  });

  test('the old secret of an OAuth client stays valid for the grace period of a rotation and then returns 401', async () => {
    const made = await registered(tenant);
    const { body } = await change(`${made.id}/rotate`, 'POST', { grace_period: 60 });
    const next = { id: made.id, secret: body.data.client_secret };
    for (const one of [made, next]) expect((await clientToken(tenant.origin, one)).status).toBe(200);
    await (await rig()).advance(61_000);
    expect((await clientToken(tenant.origin, made)).status).toBe(401);
    expect((await clientToken(tenant.origin, next)).status).toBe(200);
  });

  test('issued tokens of an OAuth client lose a scope when the scope is removed from the client', async () => {
    const { made, tokens, clientsToken } = await clientWithTokens();
    await change(made.id, 'PUT', { scopes: ['support.read'] });
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(403);
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token, '/support/tickets')).toBe(200);
    expect((await refresh(tenant.origin, made, tokens.refresh_token)).body.scope).toBe('support.read');
  });

  test('exchanging an authorization code returns 401 after its OAuth client was deleted', async () => {
    const made = await registered(tenant);
    const verifier = newVerifier();
    const code = (await authorized(user, { client: made, verifier })).get('code') ?? '';
    await change(made.id, 'DELETE');
    expect((await exchange(tenant.origin, made, code, verifier)).status).toBe(401);
  });
});

describe('changes of the redirect URIs of an OAuth client', () => {
  const OTHER = 'https://app.example.com/other';
  const THIRD = 'https://app.example.com/third';
  const changeTo = async (of: TestClient, redirect_uris: string[]) =>
    expect((await tenant.rest('PUT', `/auth/oauth-clients/${of.id}`, { body: { redirect_uris } })).status).toBe(200);
  const clientWith = (...redirect_uris: string[]) => registered(tenant, { redirect_uris });
  const consentPageOf = async (of: TestClient, extra: Record<string, string> = {}) => {
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await browser.open(authorizeUrl(tenant.origin, { client: of, extra })), user);
    expect(page.text).toContain('to act for you?');
    return { browser, page };
  };
  const expectExpired = (page: Page) => {
    expect([page.status, new URL(page.url).origin]).toEqual([400, tenant.origin]);
    expect(page.text).toContain('expired');
  };

  test('exchanging an authorization code returns 400 invalid_grant after its redirect URI was removed from the client', async () => {
    const made = await clientWith(CALLBACK, OTHER);
    const verifier = newVerifier();
    const code = (await authorized(user, { client: made, verifier })).get('code') ?? '';
    await changeTo(made, [OTHER]);
    for (const redirect_uri of [CALLBACK, OTHER])
      expect(await exchange(tenant.origin, made, code, verifier, { redirect_uri })).toMatchObject(INVALID_GRANT);
  });

  test('exchanging an authorization code returns tokens after another redirect URI of the client was removed or added', async () => {
    const made = await clientWith(CALLBACK, OTHER);
    const verifier = newVerifier();
    const code = (await authorized(user, { client: made, verifier })).get('code') ?? '';
    await changeTo(made, [THIRD, CALLBACK]);
    const { status, body } = await exchange(tenant.origin, made, code, verifier);
    expect([status, await statusWith(tenant, body.access_token)]).toEqual([200, 200]);
  });

  test('the second use of an authorization code revokes its tokens even after its redirect URI was removed', async () => {
    const made = await clientWith(CALLBACK, OTHER);
    const verifier = newVerifier();
    const code = (await authorized(user, { client: made, verifier })).get('code') ?? '';
    const { access_token } = (await exchange(tenant.origin, made, code, verifier)).body;
    await changeTo(made, [OTHER]);
    expect(await statusWith(tenant, access_token)).toBe(200);
    expect(await exchange(tenant.origin, made, code, verifier)).toMatchObject(INVALID_GRANT);
    expect(await statusWith(tenant, access_token)).toBe(401);
  });

  test.each([
    ['sign-in', '/login', () => ({ email: user.email, password: PASSWORD })],
    ['cancelled sign-in', '/abort', () => ({})],
  ])('a %s returns 400 without a redirect after the redirect URI of the request was removed from the client', async (_, step, fields) => {
    const made = await clientWith(CALLBACK, OTHER);
    const browser = new Browser(tenant.origin);
    const page = await browser.open(authorizeUrl(tenant.origin, { client: made }));
    await changeTo(made, [OTHER]);
    expectExpired(await browser.open(page.url));
    expectExpired(await browser.submit(page, fields(), step));
  });

  test.each(['allow', 'deny'])(
    'the decision "%s" on the consent page returns 400 without a redirect after the redirect URI was removed from the client',
    async (decision) => {
      const made = await clientWith(CALLBACK, OTHER);
      const { browser, page } = await consentPageOf(made);
      await changeTo(made, [OTHER]);
      expectExpired(await browser.open(page.url));
      expectExpired(await browser.submit(page, { decision }, '/consent'));
    },
  );

  test.each(['allow', 'deny'])(
    'the decision "%s" returns 400 without a redirect if the redirect URI is removed just before the final redirect',
    async (decision) => {
      const made = await clientWith(CALLBACK, OTHER);
      const { browser, page } = await consentPageOf(made);
      const decided = await browser.submitOnly(page, { decision }, '/consent');
      expect(new URL(decided, tenant.origin).pathname).toMatch(/^\/oauth\/authorize\//);
      await changeTo(made, [OTHER]);
      expectExpired(await browser.open(decided));
    },
  );

  test('after other redirect URIs of the client changed, a consent redirects to the requested URI with a valid code', async () => {
    const made = await clientWith(CALLBACK, OTHER);
    const verifier = newVerifier();
    const { browser, page } = await consentPageOf(made, { redirect_uri: OTHER, code_challenge: challengeOf(verifier) });
    await changeTo(made, [OTHER, THIRD]);
    const { url } = await browser.submit(page, { decision: 'allow' }, '/consent');
    expect(url).toMatch(/^https:\/\/app\.example\.com\/other\?/);
    const code = new URL(url).searchParams.get('code') ?? '';
    expect((await exchange(tenant.origin, made, code, verifier, { redirect_uri: OTHER })).status).toBe(200);
  });
});
