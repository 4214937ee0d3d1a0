import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorized,
  authorizeUrl,
  basic,
  clientToken,
  exchange,
  form,
  newVerifier,
  own,
  refresh,
  registered,
  statusWith,
  type TestClient,
  tokensOf,
} from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser } from '../support/browser.ts';
import type { Answer, Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

const introspect = (of: TestClient, token: string): Promise<Answer> =>
  form(tenant.origin, '/oauth/introspect', { token }, { authorization: basic(of) });
const revoke = (of: TestClient, token: string): Promise<Answer> =>
  form(tenant.origin, '/oauth/revoke', { token }, { authorization: basic(of) });
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

describe('client credentials', () => {
  test('give the client a token of its own, without refresh token and user', async () => {
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

  test('without a scope mean all of the client; id and secret may stand in the form', async () => {
    const { body } = await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials', ...own(client) });
    expect(body.scope).toBe('services.read services.write support.read');
  });

  test.each([
    ['a wrong secret', { secret: 'cs_wrong' }, 401, 'invalid_client'],
    ['an unknown client', { id: 'client_none' }, 401, 'invalid_client'],
    ['no secret', { secret: undefined }, 400, 'invalid_request'],
  ])('are refused with %s', async (_, members, status, error) => {
    const refused = await clientToken(tenant.origin, { ...client, ...members }, 'services.read');
    expect(refused).toMatchObject({ status, body: { error } });
  });

  test('are refused for scopes beyond the client, and without saying how the client authenticates', async () => {
    expect(await clientToken(tenant.origin, client, 'services.read billing.read')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope', scope: 'billing.read' },
    });
    expect(await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  test('are refused to a client that may not use them, and to a public one', async () => {
    const codes = await registered(tenant, { grant_types: ['authorization_code'] });
    expect((await clientToken(tenant.origin, codes)).status).toBe(400);
    const open = await registered(tenant, { is_confidential: false });
    const asked = await form(tenant.origin, '/oauth/token', { grant_type: 'client_credentials', client_id: open.id });
    expect(asked.status).toBe(400);
  });
});

describe('a refresh token', () => {
  test('of a public client is exchanged for the next one', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const first = await tokensOf(user, open);
    const second = (await refresh(tenant.origin, open, first.refresh_token)).body;
    expect(second.refresh_token).toMatch(/^rt_/);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const third = (await refresh(tenant.origin, open, second.refresh_token)).body;
    expect(await statusWith(tenant, third.access_token)).toBe(200);
  });

  test('that comes again ends the grant: whoever stole it has nothing, nor has the other', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const first = await tokensOf(user, open);
    const second = (await refresh(tenant.origin, open, first.refresh_token)).body;
    expect(await refresh(tenant.origin, open, first.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await refresh(tenant.origin, open, second.refresh_token)).toMatchObject(INVALID_GRANT);
    for (const { access_token } of [first, second]) expect(await statusWith(tenant, access_token)).toBe(401);
  });

  test('narrows, and never widens', async () => {
    const { refresh_token } = await tokensOf(user, client, 'services.read support.read');
    expect((await refresh(tenant.origin, client, refresh_token, { scope: 'support.read' })).body.scope).toBe('support.read');
    const wider = await refresh(tenant.origin, client, refresh_token, { scope: 'services.write' });
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('is that of one client, and needs its secret', async () => {
    const { refresh_token } = await tokensOf(user, client);
    expect(await refresh(tenant.origin, await registered(tenant), refresh_token)).toMatchObject(INVALID_GRANT);
    expect((await refresh(tenant.origin, { ...client, secret: 'wrong' }, refresh_token)).status).toBe(401);
    expect((await refresh(tenant.origin, { id: client.id, secret: undefined }, refresh_token)).status).toBe(401);
  });

  test('ends after 30 days, however often it was used; of a public client after 14 without use', async () => {
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

describe('introspection', () => {
  test('of a user’s access token says what it stands for', async () => {
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

  test('knows refresh tokens, and the tokens of logins', async () => {
    const { refresh_token } = await tokensOf(user, client);
    expect((await introspect(client, refresh_token)).body).toMatchObject({ active: true, sub: user.id });
    const { apiKey } = await user.again();
    expect((await introspect(client, apiKey)).body).toMatchObject({ active: true, sub: user.id });
  });

  test('sees nothing of another organization', async () => {
    const stranger = await registered(await (await rig()).organization());
    const { access_token, refresh_token } = await tokensOf(user, client);
    for (const token of [access_token, refresh_token]) expect((await introspect(stranger, token)).body).toEqual({ active: false });
  });

  test('by a public client sees its own tokens alone', async () => {
    const open = await registered(tenant, { is_confidential: false });
    const ask = async (token: string) => (await form(tenant.origin, '/oauth/introspect', { token, client_id: open.id })).body.active;
    const [mine, theirs] = [await tokensOf(user, open), await tokensOf(user, client)];
    expect([await ask(mine.access_token), await ask(theirs.access_token), await ask(theirs.refresh_token)]).toEqual([true, false, false]);
  });

  test.each(['nonsense', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'])('of %s is inactive', async (token) => {
    expect(await introspect(client, token)).toMatchObject({ status: 200, body: { active: false } });
  });

  test('of a token that was tampered with, or has expired, is inactive', async () => {
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

  test('needs the client’s secret and a token', async () => {
    expect(await introspect({ ...client, secret: 'wrong' }, 'a.b.c')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await introspect({ ...client, secret: 'wrong' }, 'a.b.c')).headers.get('www-authenticate')).toContain('Basic');
    expect((await form(tenant.origin, '/oauth/introspect', { token: 'a.b.c', client_id: client.id })).status).toBe(401);
    const without = await form(tenant.origin, '/oauth/introspect', {}, { authorization: basic(client) });
    expect(without).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('revocation', () => {
  test('of an access token counts at once, for that token alone', async () => {
    const { access_token, refresh_token } = await tokensOf(user, client);
    expect(await statusWith(tenant, access_token)).toBe(200);
    expect(await revoke(client, access_token)).toMatchObject({ status: 200, body: '' });
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect((await introspect(client, access_token)).body).toEqual({ active: false });
    expect((await refresh(tenant.origin, client, refresh_token)).status).toBe(200);
  });

  test('of a client’s own token ends it', async () => {
    const { access_token } = (await clientToken(tenant.origin, client)).body;
    await revoke(client, access_token);
    expect(await statusWith(tenant, access_token)).toBe(401);
    expect(await statusWith(tenant, (await clientToken(tenant.origin, client)).body.access_token)).toBe(200);
  });

  test('of a refresh token ends all that came of it', async () => {
    const { access_token, refresh_token } = await tokensOf(user, client);
    const { body } = await refresh(tenant.origin, client, refresh_token);
    expect((await revoke(client, refresh_token)).status).toBe(200);
    for (const token of [access_token, body.access_token]) expect(await statusWith(tenant, token)).toBe(401);
    expect(await refresh(tenant.origin, client, refresh_token)).toMatchObject(INVALID_GRANT);
  });

  test('of another client’s token does nothing, and does not tell', async () => {
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

describe('a device', () => {
  const start = async (of: TestClient, fields: Record<string, string> = {}) =>
    form(tenant.origin, '/oauth/device_authorization', { client_id: of.id, scope: 'services.read', ...fields });
  const poll = (of: TestClient, deviceCode: string) =>
    form(tenant.origin, '/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
      ...own(of),
    });
  const confirmed = async (userCode: string, browser = new Browser(tenant.origin)) => {
    const page = await browser.submit(await browser.open('/oauth/device'), { user_code: userCode });
    expect(page.text).toContain('Is this your device?');
    return page;
  };

  test('is connected by the code that it shows, and gets tokens', async () => {
    const { status, body } = await start(client);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${tenant.origin}/oauth/device`,
      verification_uri_complete: `${tenant.origin}/oauth/device?user_code=${body.user_code}`,
      expires_in: 600,
    });
    expect(await poll(client, body.device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });

    const browser = new Browser(tenant.origin);
    const login = await browser.submit(await confirmed(body.user_code.toLowerCase().replace('-', ' '), browser), { confirm: 'yes' });
    const consent = await browser.submit(login, { email: user.email, password: 'correct horse battery' }, '/login');
    const done = await browser.submit(consent, { decision: 'allow' }, '/consent');
    expect(done.text).toContain('Your device is connected');

    const tokens = (await poll(client, body.device_code)).body;
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
    expect(await statusWith(tenant, tokens.access_token)).toBe(200);
    expect(await poll(client, body.device_code)).toMatchObject(INVALID_GRANT);
  });

  test('is told when the user refuses, on either page', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    expect((await browser.submit(await confirmed(body.user_code, browser), { abort: 'yes' })).text).toContain('was not connected');
    expect(await poll(client, body.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });

    const again = (await start(client)).body;
    const login = await browser.submit(await confirmed(again.user_code, browser), { confirm: 'yes' });
    await browser.submit(login, {}, '/abort');
    expect(await poll(client, again.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
  });

  test.each(['/oauth/device', '/oauth/device/none'])('page that is sent without a session begins anew: %s', async (path) => {
    const body = new URLSearchParams({ user_code: 'AAAA-AAAA', xsrf: 'none' });
    const init = path.endsWith('none') ? {} : { method: 'POST', body };
    const { status, headers } = await fetch(tenant.origin + path, { ...init, redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([303, '/oauth/device']);
  });

  test('code that is wrong, used or too old is refused on the page', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    const wrong = await browser.submit(await browser.open('/oauth/device'), { user_code: 'AAAA-AAAA' });
    expect(wrong.text).toContain('This code does not work');
    await browser.submit(await confirmed(body.user_code, browser), { abort: 'yes' });
    const used = await browser.submit(await browser.open('/oauth/device'), { user_code: body.user_code });
    expect(used.text).toContain('This code does not work');

    const late = (await start(client)).body;
    await (await rig()).advance(601_000);
    expect((await browser.submit(await browser.open('/oauth/device'), { user_code: late.user_code })).text).toContain('does not work');
    expect((await poll(client, late.device_code)).body.error).toMatch(/invalid_grant|expired_token/);
  });

  test('page with the code in its address waits for a button, and a form from elsewhere has not its token', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    const page = await browser.open(body.verification_uri_complete);
    expect(page.text).toContain(`value="${body.user_code}"`);
    expect(page.text).not.toContain('<script');
    const forged = await browser.open('/oauth/device', {
      method: 'POST',
      body: new URLSearchParams({ user_code: body.user_code, confirm: 'yes', xsrf: 'guessed' }),
    });
    expect(forged.status).toBe(400);
    expect((await poll(client, body.device_code)).body.error).toBe('authorization_pending');
  });

  test('needs the secret of its client when it gets the token, and no other client gets it', async () => {
    const { body } = await start(client);
    expect((await poll({ id: client.id, secret: undefined }, body.device_code)).status).toBe(401);
    expect(await poll(await registered(tenant), body.device_code)).toMatchObject(INVALID_GRANT);
    expect((await start({ ...client, id: 'client_none' })).status).toBe(401);
    expect((await start(client, { client_secret: 'wrong' })).status).toBe(401);
    expect(await start(client, { scope: 'billing.read' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });
});

describe('a client that changes', () => {
  const change = (path: string, method: string, body?: unknown) => tenant.rest(method, `/auth/oauth-clients/${path}`, { body });
  const own2 = async () => {
    const made = await registered(tenant);
    const tokens = await tokensOf(user, made, 'services.read support.read');
    const { access_token } = (await clientToken(tenant.origin, made)).body;
    for (const token of [tokens.access_token, access_token]) expect(await statusWith(tenant, token)).toBe(200);
    return { made, tokens, clientsToken: access_token as string };
  };

  test.each([
    ['is deleted', 'DELETE', '', undefined],
    ['is switched off', 'PUT', '', { active: false }],
    ['gets a new secret and loses its tokens', 'POST', '/rotate', { revoke_tokens: true }],
  ])('and %s ends all its tokens at once', async (_, method, path, body) => {
    const { made, tokens, clientsToken } = await own2();
    expect((await change(made.id + path, method, body)).status).toBe(200);
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(401);
    expect((await refresh(tenant.origin, made, tokens.refresh_token)).status).toBe(401);
    expect((await clientToken(tenant.origin, made)).status).toBe(401);
  });

  test('and is switched on again gets new tokens, and the old ones stay ended', async () => {
    const { made, tokens, clientsToken } = await own2();
    await change(made.id, 'PUT', { active: false });
    const page = await new Browser(tenant.origin).open(authorizeUrl(tenant.origin, { client: made }));
    expect(page.text).toContain('This application is not known');
    await change(made.id, 'PUT', { active: true });
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(401);
    expect(await refresh(tenant.origin, made, tokens.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await statusWith(tenant, (await clientToken(tenant.origin, made)).body.access_token)).toBe(200);
  });

  test('and gets a new secret may keep the old one for a while', async () => {
    const made = await registered(tenant);
    const { body } = await change(`${made.id}/rotate`, 'POST', { grace_period: 60 });
    const next = { id: made.id, secret: body.data.client_secret };
    for (const one of [made, next]) expect((await clientToken(tenant.origin, one)).status).toBe(200);
    await (await rig()).advance(61_000);
    expect((await clientToken(tenant.origin, made)).status).toBe(401);
    expect((await clientToken(tenant.origin, next)).status).toBe(200);
  });

  test('and loses a scope loses it in tokens that are out', async () => {
    const { made, tokens, clientsToken } = await own2();
    await change(made.id, 'PUT', { scopes: ['support.read'] });
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token)).toBe(403);
    for (const token of [tokens.access_token, clientsToken]) expect(await statusWith(tenant, token, '/support/tickets')).toBe(200);
    expect((await refresh(tenant.origin, made, tokens.refresh_token)).body.scope).toBe('support.read');
  });

  test('its redirect refuses a request that is under way there', async () => {
    const made = await registered(tenant);
    const verifier = newVerifier();
    const code = (await authorized(user, { client: made, verifier })).get('code') ?? '';
    await change(made.id, 'DELETE');
    expect((await exchange(tenant.origin, made, code, verifier)).status).toBe(401);
  });
});
