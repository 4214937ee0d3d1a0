import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorized,
  authorizeUrl,
  basic,
  CALLBACK,
  clientToken,
  exchange,
  form,
  newVerifier,
  own,
  registered,
  statusWith,
  type TestClient,
} from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { rowsWith, tables } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';

let tenant: Tenant;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  client = await registered(tenant);
});

const RATE_HEADERS = ['limit', 'remaining', 'reset', 'burst', 'burst-remaining', 'retry-after'].map((name) => `x-ratelimit-${name}`);
const MACHINES = ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/oauth/device_authorization'];
const FORM_TYPE = 'application/x-www-form-urlencoded';
const call = (path: string, init: RequestInit = {}) => fetch(tenant.origin + path, { redirect: 'manual', ...init });

describe('headers of OAuth endpoints', () => {
  test.each<readonly [string, string]>([
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/oauth/authorize'],
    ['GET', '/oauth/device'],
    ['GET', '/oauth/logout'],
    ['GET', '/oauth/interaction/none'],
    ['GET', '/password/forgot'],
    ...MACHINES.map((path) => ['POST', path] as const),
    ...MACHINES.map((path) => ['GET', path] as const),
    ['DELETE', '/oauth/authorize'],
    ['OPTIONS', '/oauth/token'],
  ])('the response to %s %s has the request id, the six rate limit headers and the security headers', async (method, path) => {
    const { headers } = await call(path, { method });
    for (const name of ['x-request-id', ...RATE_HEADERS]) expect(headers.get(name), name).toBeTruthy();
    if (method !== 'OPTIONS') expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('OAuth errors', () => {
  test('a wrong method on an OAuth endpoint returns 405 and lists the allowed methods', async () => {
    const refused = await call('/oauth/token');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    expect(await refused.json()).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('only OPTIONS, POST') });
    expect((await call('/.well-known/jwks.json', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  test.each([
    ['JSON instead of a form', { headers: { 'content-type': 'application/json' }, body: '{"grant_type":"client_credentials"}' }],
    ['an empty body', {}],
    ['invalid Base64', { headers: { authorization: 'Basic ***' }, body: new URLSearchParams({ grant_type: 'client_credentials' }) }],
    ['a bearer token', { headers: { authorization: 'Bearer abc' }, body: new URLSearchParams({ grant_type: 'client_credentials' }) }],
  ])('a token request with %s returns 400 invalid_request', async (_, init) => {
    const refused = await call('/oauth/token', { method: 'POST', ...init });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('a token request of 60 KiB returns 413 with the OAuth error invalid_request', async () => {
    const body = new URLSearchParams({ grant_type: 'a'.repeat(61_440) });
    const refused = await call('/oauth/token', { method: 'POST', body });
    expect([refused.status, ((await refused.json()) as Json).error]).toEqual([413, 'invalid_request']);
  });

  test('a token request with a repeated parameter returns 400 invalid_request', async () => {
    const body = new URLSearchParams('grant_type=client_credentials&scope=a&scope=b');
    const refused = await call('/oauth/token', { method: 'POST', body, headers: { authorization: basic(client) } });
    expect([refused.status, ((await refused.json()) as Json).error]).toEqual([400, 'invalid_request']);
  });

  test('a token request with an unknown grant type returns 400 unsupported_grant_type', async () => {
    const { status, body } = await form(tenant.origin, '/oauth/token', { grant_type: 'password' }, { authorization: basic(client) });
    expect([status, body.error]).toEqual([400, 'unsupported_grant_type']);
  });

  test('a token request whose client id contains a null character returns 401 invalid_client', async () => {
    const { status, body } = await form(tenant.origin, '/oauth/token', {
      grant_type: 'client_credentials',
      client_id: 'a\0b',
      client_secret: 'c',
    });
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });
});

describe('OAuth discovery', () => {
  test('the OAuth and OpenID discovery documents are equal and list all endpoints and supported features', async () => {
    const document: Json = await (await call('/.well-known/oauth-authorization-server')).json();
    expect(await (await call('/.well-known/openid-configuration')).json()).toEqual(document);
    const { origin } = tenant;
    expect(document).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      introspection_endpoint: `${origin}/oauth/introspect`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      device_authorization_endpoint: `${origin}/oauth/device_authorization`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
    expect(document.scopes_supported).toEqual(expect.arrayContaining(['services.read', 'billing.*', '*.*']));
    expect(document.scopes_supported).not.toContain('openid');
    expect(document.grant_types_supported.toSorted()).toEqual([
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    expect(document.token_endpoint_auth_methods_supported.toSorted()).toEqual(['client_secret_basic', 'client_secret_post', 'none']);
  });

  test("scripts of any origin can read the key set, and scripts of a public client's origin can call the token endpoint", async () => {
    const origin = 'https://app.example.com';
    expect((await call('/.well-known/jwks.json', { headers: { origin } })).headers.get('access-control-allow-origin')).toBe(origin);
    const preflight = await call('/oauth/token', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const open = await registered(tenant, { is_confidential: false });
    const refreshFrom = (of: TestClient, from: string) =>
      form(tenant.origin, '/oauth/token', { grant_type: 'refresh_token', refresh_token: 'rt_x', client_id: of.id }, { origin: from });
    expect((await refreshFrom(open, origin)).headers.get('access-control-allow-origin')).toBe(origin);
    expect((await refreshFrom(open, 'https://evil.example')).body.error).toBe('invalid_request');
    expect((await refreshFrom(client, origin)).headers.get('access-control-allow-origin')).not.toBe('*');
  });

  test('HEAD on an OAuth endpoint returns the headers of GET without a body', async () => {
    const head = await call('/.well-known/jwks.json', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  });
});

describe('a forged Host header', () => {
  const EVIL = 'evil.example';
  const FORGED = {
    host: EVIL,
    'x-forwarded-host': EVIL,
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '444',
    forwarded: `host=${EVIL};proto=https`,
    'x-original-host': EVIL,
  };
  /** Sends a request with the headers `FORGED`. It uses Node's http client, because `fetch` would not send `Host`. */
  const forged = async (method: string, path: string, { body = '', type = FORM_TYPE, cookie = '' } = {}) => {
    const sent = request(tenant.origin + path, { method, headers: { ...FORGED, 'content-type': type, ...(cookie && { cookie }) } }).end(
      body,
    );
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, text: (await response.toArray()).join('') };
  };

  test.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'a forged Host or X-Forwarded-Host header does not change the discovery document %s',
    async (path) => {
      const { status, text, headers } = await forged('GET', path);
      expect([status, JSON.parse(text)]).toEqual([200, await (await call(path)).json()]);
      expect(text + JSON.stringify(headers)).not.toContain(EVIL);
    },
  );

  test('a forged Host or X-Forwarded-Host header does not change the verification URL of a device', async () => {
    const { text } = await forged('POST', '/oauth/device_authorization', { body: `client_id=${client.id}` });
    const { verification_uri, verification_uri_complete } = JSON.parse(text);
    expect(verification_uri).toBe(`${tenant.origin}/oauth/device`);
    expect(verification_uri_complete).toMatch(new RegExp(`^${tenant.origin}/oauth/device\\?`));
  });

  test('a forged Host or X-Forwarded-Host header changes no redirect, form or cookie of a sign-in, and no claim of its token', async () => {
    const user = await userOf(tenant, 'admin');
    const verifier = newVerifier();
    const cookies = new Map<string, string>();
    const step = async (method: string, path: string, fields: Record<string, string> = {}) => {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const response = await forged(method, path, { body: new URLSearchParams(fields).toString(), cookie });
      expect(response.text + JSON.stringify(response.headers)).not.toContain(EVIL);
      for (const line of response.headers['set-cookie'] ?? []) {
        expect(line.toLowerCase()).not.toMatch(/domain=|; secure/);
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const { location = '' } = response.headers;
      const { origin, pathname, searchParams } = new URL(location, tenant.origin);
      return { ...response, origin, path: pathname, code: searchParams.get('code') ?? '' };
    };
    const { path: interaction, origin } = await step('GET', authorizeUrl('', { client, verifier }));
    expect([origin, interaction]).toEqual([tenant.origin, expect.stringMatching(/^\/oauth\/interaction\//)]);
    expect((await step('GET', interaction)).text).toContain(`action="${interaction}/login"`);
    const signedIn = await step('POST', `${interaction}/login`, { email: user.email, password: PASSWORD });
    expect([signedIn.origin, signedIn.path]).toEqual([tenant.origin, expect.stringMatching(/^\/oauth\/authorize\//)]);
    const { path: consent, origin: consentOrigin } = await step('GET', signedIn.path);
    expect(consentOrigin).toBe(tenant.origin);
    const allowed = await step('POST', `${consent}/consent`, { decision: 'allow' });
    expect([allowed.origin, allowed.path]).toEqual([tenant.origin, expect.stringMatching(/^\/oauth\/authorize\//)]);
    const finished = await step('GET', allowed.path);
    expect(finished.origin + finished.path).toBe(CALLBACK);

    const fields = {
      grant_type: 'authorization_code',
      code: finished.code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      ...own(client),
    };
    const { text } = await forged('POST', '/oauth/token', { body: new URLSearchParams(fields).toString() });
    const { access_token } = JSON.parse(text);
    expect(decodeJwt(access_token)).toMatchObject({ iss: tenant.origin, aud: `${tenant.origin}/v1` });
    expect(await statusWith(tenant, access_token)).toBe(200);
  });

  test.each([
    ['POST /v1/auth/password/reset', '/v1/auth/password/reset', 'application/json', (email: string) => JSON.stringify({ email })],
    ['the form of POST /password/forgot', '/password/forgot', FORM_TYPE, (email: string) => new URLSearchParams({ email }).toString()],
  ])('a forged Host or X-Forwarded-Host header does not change the link in the email of %s', async (_, path, type, bodyOf) => {
    const { email } = await userOf(tenant, 'member');
    expect((await forged('POST', path, { type, body: bodyOf(email) })).status).toBeLessThan(300);
    const token = await tokenMailedTo(email, /new password/);
    const mail = (await rig()).mails.find((one) => one.to === email && one.text.includes(token));
    expect(mail?.text).toContain(`${tenant.origin}/password?token=${token}`);
    expect(mail?.html).toContain(`"${tenant.origin}/password?token=${token}"`);
    expect(JSON.stringify(mail)).not.toContain(EVIL);
  });
});

describe('OAuth key set', () => {
  test('the key set at /.well-known/jwks.json contains no private key parameters', async () => {
    const { keys }: Json = await (await call('/.well-known/jwks.json')).json();
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  test('key rotation publishes the next key before its first use and keeps the previous key published', async () => {
    const { domains } = (await rig()).assembly;
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const published = async () => ((await (await call('/.well-known/jwks.json')).json()) as Json).keys.map(({ kid }: Json) => kid);
    const before = (await clientToken(tenant.origin, client)).body.access_token;
    await domains.identity.core.ring.rotate();
    const announced = (await published()).filter((kid: string) => kid !== kidOf(before));
    expect(announced.length).toBeGreaterThan(0);
    expect(kidOf((await clientToken(tenant.origin, client)).body.access_token)).toBe(kidOf(before));
    await (await rig()).advance(86_400_000 + 1000);
    const after = (await clientToken(tenant.origin, client)).body.access_token;
    expect(announced).toContain(kidOf(after));
    expect(await published()).toEqual(expect.arrayContaining([kidOf(before), kidOf(after)]));
    expect(await statusWith(tenant, after)).toBe(200);
  });
});

describe('OAuth storage', () => {
  test('no OAuth code, token, device code, user code or client secret is stored as plain text', async () => {
    const user = await userOf(tenant, 'admin');
    const verifier = newVerifier();
    const code = (await authorized(user, { client, verifier })).get('code') ?? '';
    const unused = (await authorized(user, { client })).get('code') ?? '';
    const tokens = (await exchange(tenant.origin, client, code, verifier)).body;
    const device = (await form(tenant.origin, '/oauth/device_authorization', { client_id: client.id })).body;
    const { value: cookie = '' } =
      /oauth_resume=(?<value>[^;]+)/.exec((await call(authorizeUrl('', { client }))).headers.getSetCookie().join(' '))?.groups ?? {};
    expect(cookie).not.toBe('');
    const secrets = [code, unused, tokens.refresh_token, tokens.access_token, device.device_code, device.user_code, client.secret, cookie];
    const found = (await tables()).flatMap((table) =>
      [...secrets, device.user_code.replace('-', '')].map((secret) => [table, secret] as const),
    );
    for (const [table, secret] of found) expect(await rowsWith(table, secret), table).toBe(0);
    expect((await rig()).logged.join()).not.toContain(tokens.refresh_token);
  });

  test('the retention task deletes expired OAuth records', async () => {
    const { assembly, advance } = await rig();
    await form(tenant.origin, '/oauth/device_authorization', { client_id: client.id });
    const count = () => rowsWith('identity.oauth_record', client.id);
    expect(await count()).toBeGreaterThan(0);
    await advance(40 * 86_400_000);
    await assembly.domains.identity.core.retentionTask.run();
    expect(await count()).toBe(0);
  });
});

test('the audit log records successful and failed client_credentials requests without the client secret', async () => {
  const own = await (await rig()).organization();
  const made = await registered(own);
  await clientToken(own.origin, made, 'services.read');
  await clientToken(own.origin, { ...made, secret: 'a wrong secret' });
  await (await rig()).assembly.domains.identity.core.trail.flush();
  const { body } = await own.rest('GET', '/auth/audit?per_page=200');
  const records = body.data.filter((record: Json) => record.client_id === made.id);
  expect(records).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        event_type: 'authentication_success',
        authentication_method: 'client_credentials',
        scopes: ['services.read'],
      }),
      expect.objectContaining({ event_type: 'authentication_failure', reason: 'invalid_client: invalid secret provided' }),
    ]),
  );
  expect(JSON.stringify(records)).not.toContain('a wrong secret');
});
