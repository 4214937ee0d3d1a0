import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorized,
  authorizeUrl,
  exchange,
  newVerifier,
  refresh,
  registered,
  signIn,
  statusWith,
  type TestClient,
  tokensOf,
} from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser } from '../support/browser.ts';
import { Tenant } from '../tenant.ts';
import { PASSWORD, type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

test('exchanging an authorization code returns a valid token with the response fields, header and claims of the specification', async () => {
  const verifier = newVerifier();
  const response = await authorized(user, { client, scope: 'services.read support.read', verifier });
  expect(response.get('state')).toBe('the-state');
  const { status, body, headers } = await exchange(tenant.origin, client, response.get('code') ?? '', verifier);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^rt_[\w-]{43}$/),
    scope: 'services.read support.read',
    user_id: user.id,
  });
  expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
  const claims = decodeJwt(body.access_token);
  expect(claims).toEqual({
    iss: tenant.origin,
    sub: user.id,
    aud: `${tenant.origin}/v1`,
    iat: expect.any(Number),
    nbf: claims.iat,
    exp: (claims.iat ?? 0) + 3600,
    jti: expect.stringMatching(/^tok_/),
    scope: 'services.read support.read',
    permissions: ['services:read', 'support:read'],
    organization_id: tenant.organizationId,
    rate_limit: { requests_per_minute: 2000 },
    client_id: client.id,
    sid: expect.any(String),
  });
  expect(await statusWith(tenant, body.access_token)).toBe(200);
  expect(await statusWith(tenant, body.access_token, '/accounts')).toBe(403);
});

test("an OAuth client acting for a user cannot list or delete the user's sessions, log out or change the password", async () => {
  const { access_token } = await tokensOf(user, client);
  const acting = new Tenant(tenant.origin, tenant.organizationId, access_token);
  expect((await acting.rest('GET', '/auth/sessions')).body.data).toEqual([]);
  expect((await acting.rest('GET', `/auth/sessions?user_id=${user.id}`)).status).toBe(403);
  expect((await acting.rest('DELETE', `/auth/sessions/${user.tokens.session_id}`)).status).toBe(404);
  expect((await acting.rest('POST', '/auth/logout')).status).toBe(409);
  const body = { current_password: PASSWORD, new_password: `${PASSWORD} staple` };
  expect((await acting.rest('POST', '/auth/password/change', { body })).status).toBe(401);
  expect((await user.rest('GET', '/auth/verify')).status).toBe(200);
});

test('a confidential OAuth client can refresh its access token without getting a new refresh token', async () => {
  const { refresh_token } = await tokensOf(user, client);
  const { status, body } = await refresh(tenant.origin, client, refresh_token);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
  expect(await statusWith(tenant, body.access_token)).toBe(200);
});

describe('refused authorization requests', () => {
  const refusedAt = async (extra: Record<string, string | undefined>, scope?: string) => {
    const { url } = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client, extra, scope }));
    expect(url).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
    return Object.fromEntries(new URL(url).searchParams);
  };

  test('an authorization request without PKCE or with the method plain returns the error invalid_request', async () => {
    expect(await refusedAt({ code_challenge: undefined, code_challenge_method: undefined })).toMatchObject({
      error: 'invalid_request',
      state: 'the-state',
    });
    expect(await refusedAt({ code_challenge_method: 'plain' })).toMatchObject({ error: 'invalid_request' });
    expect(await refusedAt({ code_challenge_method: undefined })).toMatchObject({ error: 'invalid_request' });
  });

  test('an authorization request for a scope that is unknown or not registered for the client returns invalid_scope', async () => {
    expect(await refusedAt({}, 'services.read billing.read')).toMatchObject({ error: 'invalid_scope', scope: 'billing.read' });
    expect(await refusedAt({}, 'services.*')).toMatchObject({ error: 'invalid_scope' });
    expect(await refusedAt({}, 'openid')).toMatchObject({ error: 'invalid_scope' });
  });

  test('an authorization request with an unknown resource, another response type or a repeated parameter returns an OAuth error', async () => {
    expect(await refusedAt({ resource: 'https://other.example.com/' })).toMatchObject({ error: 'invalid_target' });
    const implicit = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client, extra: { response_type: 'token' } }));
    expect(implicit.url).toContain('#error=unsupported_response_type');
    const twice = `${authorizeUrl(tenant.origin, { client })}&scope=support.read`;
    expect((await new Browser(tenant.origin).open(twice)).url).toContain('error=invalid_request');
  });

  test.each([
    'https://app.example.com/callback/',
    'https://app.example.com/callback?x=1',
    'https://app.example.com.evil.example/callback',
    'http://app.example.com/callback',
    'https://app.example.com',
  ])('an authorization request with the unregistered redirect URI %s returns 400 without a redirect', async (redirect_uri) => {
    const page = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client, extra: { redirect_uri } }));
    expect(page.status).toBe(400);
    expect(page.text).toContain('may not redirect you there');
  });

  test('an authorization request of an unknown client returns 400 without a redirect', async () => {
    const page = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client: { id: 'client_none', secret: undefined } }));
    expect(page.status).toBe(400);
    expect(page.text).toContain('This application is not known');
  });
});

describe('refused authorization codes', () => {
  const codeFor = async () => {
    const verifier = newVerifier();
    return { verifier, code: (await authorized(user, { client, verifier })).get('code') ?? '' };
  };

  test('the second use of an authorization code returns invalid_grant and revokes the tokens of the first use', async () => {
    const { code, verifier } = await codeFor();
    const { body } = await exchange(tenant.origin, client, code, verifier);
    expect(await statusWith(tenant, body.access_token)).toBe(200);

    const replayed = await exchange(tenant.origin, client, code, verifier);
    expect(replayed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await statusWith(tenant, body.access_token)).toBe(401);
    expect(await refresh(tenant.origin, client, body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('at most one of several concurrent uses of an authorization code returns a token, and the other uses revoke it', async () => {
    const { code, verifier } = await codeFor();
    const responses = await Promise.all(Array.from({ length: 4 }, () => exchange(tenant.origin, client, code, verifier)));
    const won = responses.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThan(2);
    for (const { body } of won) expect(await statusWith(tenant, body.access_token)).toBe(401);
  });

  test('an authorization code stays valid after attempts with a wrong verifier, redirect URI, client or secret are rejected', async () => {
    const { code, verifier } = await codeFor();
    const other = await registered(tenant);
    const refusals = [
      await exchange(tenant.origin, client, code, newVerifier()),
      await exchange(tenant.origin, client, code, verifier, { redirect_uri: 'https://app.example.com/' }),
      await exchange(tenant.origin, other, code, verifier),
    ];
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const wrong = await exchange(tenant.origin, { ...client, secret: 'wrong' }, code, verifier);
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await exchange(tenant.origin, client, code, verifier)).status).toBe(200);
  });

  test('an authorization code returns 400 invalid_grant after 60 seconds', async () => {
    const { code, verifier } = await codeFor();
    await (await rig()).advance(61_000);
    expect(await exchange(tenant.origin, client, code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('OAuth scopes and permissions of the user', () => {
  test("the consent page and the token contain only the requested scopes that the user's role permits", async () => {
    const support = await userOf(tenant, 'support');
    const browser = new Browser(tenant.origin);
    const page = await signIn(
      browser,
      await browser.open(authorizeUrl(tenant.origin, { client, scope: 'services.write support.read' })),
      support,
    );
    expect(page.text).toContain('See support tickets');
    expect(page.text).not.toContain('services');
    const tokens = await tokensOf(support, client, 'services.write support.read');
    expect(tokens.scope).toBe('support.read');
    expect(decodeJwt(tokens.access_token).permissions).toEqual(['support:read']);
  });

  test('a user whose role permits none of the requested scopes sees no consent form and can cancel with access_denied', async () => {
    const billing = await userOf(tenant, 'billing');
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await browser.open(authorizeUrl(tenant.origin, { client, scope: 'services.write' })), billing);
    expect(page.text).toContain('There is nothing to allow');
    expect((await browser.submit(page, {}, '/abort')).url).toContain('error=access_denied');
  });

  test("issued tokens immediately lose the permissions that the user's new role does not have", async () => {
    const member = await userOf(tenant, 'admin');
    const { access_token, refresh_token } = await tokensOf(member, client, 'services.write support.read');
    const held = async () => (await tenant.rest('GET', '/auth/verify', { headers: { authorization: `Bearer ${access_token}` } })).body.data;
    expect(await held()).toMatchObject({ type: 'user', client_id: client.id, permissions: ['services:write', 'support:read'] });
    await tenant.rest('PUT', `/accounts/${member.account.id}/users/${member.id}`, { body: { role: 'support' } });
    expect(await held()).toMatchObject({ permissions: ['support:read'] });
    expect((await refresh(tenant.origin, client, refresh_token)).body.scope).toBe('support.read');
  });

  test('suspending a user revokes their access and refresh tokens permanently', async () => {
    const leaver = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    const { access_token, refresh_token } = await tokensOf(leaver, client, 'services.read', browser);
    const setStatus = (status: string) => tenant.rest('PUT', `/accounts/${leaver.account.id}/users/${leaver.id}`, { body: { status } });
    await setStatus('suspended');
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect(await refresh(tenant.origin, client, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await setStatus('active');
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect(await refresh(tenant.origin, client, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await browser.open(authorizeUrl(tenant.origin, { client }))).text).toContain('<h1>Sign in</h1>');
  });

  test('a user of another organization who signs in for an OAuth client gets a page with 403', async () => {
    const stranger = await userOf(await (await rig()).organization(), 'owner');
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await browser.open(authorizeUrl(tenant.origin, { client })), stranger);
    expect(page.status).toBe(403);
    expect(page.text).toContain('belongs to another organization');
  });

  test('an authorization request shows the sign-in page to a signed-in user of another organization', async () => {
    const [elsewhere, browser] = [await (await rig()).organization(), new Browser(tenant.origin)];
    await tokensOf(await userOf(elsewhere, 'owner'), await registered(elsewhere), 'services.read', browser);
    const page = await browser.open(authorizeUrl(tenant.origin, { client }));
    expect(page.text).toContain('<h1>Sign in</h1>');
    expect((await signIn(browser, page, user)).text).toContain('to act for you?');
  });
});

test('a user who already consented to an OAuth client is redirected with a code and must consent only to new scopes', async () => {
  const browser = new Browser(tenant.origin);
  await tokensOf(user, client, 'services.read', browser);
  const { url } = await browser.open(authorizeUrl(tenant.origin, { client }));
  expect(new URL(url).searchParams.get('code')).toBeTruthy();
  expect((await browser.open(authorizeUrl(tenant.origin, { client, scope: 'support.read' }))).text).toContain('See support tickets');
});

test('an authorization request without a scope requests all scopes of the client', async () => {
  const { scope } = await tokensOf(user, client, '');
  expect(scope.split(' ').sort()).toEqual(['services.read', 'services.write', 'support.read']);
});
