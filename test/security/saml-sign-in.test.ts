import { deflateRawSync } from 'node:zlib';
import { ServiceProvider } from 'samlify';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, Tenant } from '../tenant.ts';
import { SamlWorld } from './saml-idp.ts';

const RATE_HEADERS = ['limit', 'remaining', 'reset', 'burst', 'burst-remaining', 'retry-after'].map((name) => `x-ratelimit-${name}`);

let world: SamlWorld;
beforeAll(async () => {
  world = await SamlWorld.open();
});

const holding = (token: string): Tenant => new Tenant(world.tenant.origin, world.tenant.organizationId, token);
const whoIs = async (token: string): Promise<Json> => (await holding(token).rest('GET', '/auth/verify')).body.data;

describe('sign-in started by the platform', () => {
  test('a SAML sign-in returns tokens of the user whose email address is in the SAML response', async () => {
    const email = world.address('named');
    const begun = await world.begin();
    expect(begun.status).toBe(302);
    expect(begun.location).toMatch(new RegExp(`^${world.ssoUrl}\\?SAMLRequest=`));
    expect(begun.xml).toContain(`AssertionConsumerServiceURL="${world.connection.acs_url}"`);
    expect(begun.xml).toContain(world.connection.sp_entity_id);

    const { status, headers, body } = await world.deliver(await world.respond({ inResponseTo: begun.id, email }));
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^rt_/),
      scope: expect.stringContaining('services.read'),
      user_id: expect.stringMatching(/^user_/),
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    for (const name of ['x-request-id', ...RATE_HEADERS]) expect(headers.get(name), name).toBeTruthy();

    const caller = await whoIs(body.access_token);
    expect(caller).toMatchObject({ active: true, type: 'user', id: body.user_id, organization_id: world.tenant.organizationId });
    expect(caller.user).toMatchObject({ email, role: 'member' });
    const sessions = await holding(body.access_token).rest('GET', '/auth/sessions');
    expect(sessions.body.data).toMatchObject([{ method: 'saml', user_agent: 'Test browser' }]);
    const continued = await world.tenant.rest('POST', '/auth/refresh', { body: { refresh_token: body.refresh_token } });
    expect(continued.status).toBe(200);
  });

  test('GET /saml/sso finds a connection by an email domain in upper or lower case, and returns 404 for an unknown domain', async () => {
    const begun = await world.begin({ email: `Somebody@${world.domain.toUpperCase()}` });
    expect(begun.location).toContain(world.ssoUrl);
    const nowhere = await world.begin({ email: 'somebody@nowhere.example.com' });
    expect(nowhere.status).toBe(404);
  });

  test('the audit log records a SAML sign-in without the SAML response', async () => {
    const response = await world.respond({ inResponseTo: (await world.begin()).id, email: world.address('audited') });
    const { body } = await world.deliver(response);
    const [record] = await world.audited();
    expect(record).toMatchObject({ event_type: 'authentication_success', user_id: body.user_id, user_agent: 'Test browser' });
    expect(record.ip_address).toMatch(/127\.0\.0\.1|::1/);
    expect(record.session_id).toMatch(/^sess_/);
    expect(JSON.stringify(await world.audited())).not.toContain(response.slice(0, 40));
    expect(world.platform.logged.join()).not.toContain(response.slice(100, 160));
  });

  test('the 400 response to an invalid SAML response has the rate limit headers and the request id', async () => {
    const { status, headers } = await world.deliver('nonsense');
    expect(status).toBe(400);
    for (const name of ['x-request-id', ...RATE_HEADERS]) expect(headers.get(name), name).toBeTruthy();
  });
});

describe('RelayState', () => {
  const beginWith = async (relayState: string) => {
    const { id, cookie, relayState: sent } = await world.begin({ connection: world.connection.id, RelayState: relayState });
    expect(sent).toBe(relayState);
    return { response: await world.respond({ inResponseTo: id }), cookie };
  };
  const exchange = (code: string, cookie?: string) => world.post('/saml/token', new URLSearchParams({ code }), cookie);

  test.each([['/welcome?tab=1'], ['{origin}/welcome?tab=1']])(
    'a SAML sign-in with the RelayState %s redirects with a code that can be exchanged once',
    async (given) => {
      const relayState = given.replace('{origin}', world.tenant.origin);
      const { response, cookie } = await beginWith(relayState);
      const result = await world.deliver(response, { relayState, cookie });
      expect(result.status).toBe(303);
      const target = new URL(result.headers.get('location') ?? '');
      expect(target.origin + target.pathname).toBe(`${world.tenant.origin}/welcome`);
      expect([...target.searchParams.keys()]).toEqual(['tab', 'code']);
      expect(target.href).not.toMatch(/eyJ|rt_/);

      const code = target.searchParams.get('code') ?? '';
      // another browser that opens a link with this code gets no tokens
      for (const another of [undefined, (await world.begin()).cookie]) expect((await exchange(code, another)).status).toBe(401);
      const [one, other] = await Promise.all([exchange(code, cookie), exchange(code, cookie)]);
      expect([one.status, other.status].toSorted()).toEqual([200, 401]);
      const tokens = one.status === 200 ? one.body : other.body;
      expect((await whoIs(tokens.access_token)).user.email).toBe(world.address());
      expect((await exchange(code, cookie)).body.error.code).toBe('INVALID_CREDENTIALS');
    },
  );

  test('a SAML response that another browser delivers returns 401 and no code', async () => {
    const { response } = await beginWith('/welcome');
    const { cookie: another } = await world.begin();
    for (const cookie of [undefined, another]) {
      const result = await world.deliver(response, { relayState: '/welcome', cookie });
      expect(result.status).toBe(401);
    }
    expect((await world.audited())[0].reason).toContain('another browser');
  });

  test('exchanging a SAML code returns 401 after one minute', async () => {
    const { response, cookie } = await beginWith('/welcome');
    const result = await world.deliver(response, { relayState: '/welcome', cookie });
    await world.platform.advance(61_000);
    const code = new URL(result.headers.get('location') ?? '').searchParams.get('code') ?? '';
    expect((await exchange(code, cookie)).status).toBe(401);
  });

  test.each([
    ['https://evil.example.com/'],
    ['//evil.example.com/'],
    ['/\\evil.example.com'],
    ['\\\\evil.example.com'],
    ['/\t/evil.example.com'],
    ['{origin}.evil.example.com/'],
    ['{origin}@evil.example.com/'],
    ['javascript:alert(1)'],
    ['welcome'],
    [`/${'x'.repeat(1100)}`],
  ])('the RelayState %s, which is not a path of the platform, returns 400', async (given) => {
    const relayState = given.replace('{origin}', world.tenant.origin);
    const begun = await world.begin({ connection: world.connection.id, RelayState: relayState });
    expect(begun.status).toBe(400);
    expect(begun.body.error.details.field).toBe('RelayState');

    const { id, cookie } = await world.begin();
    const response = await world.respond({ inResponseTo: id });
    const refused = await world.deliver(response, { relayState, cookie });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('location')).toBeNull();
    // the rejected attempt did not use up the response
    expect((await world.deliver(response, { cookie })).status).toBe(200);
  });

  test('POST /saml/token returns an error for the field code if the code is missing, and 401 if the code is unknown', async () => {
    expect((await world.post('/saml/token', new URLSearchParams({}))).body.error.details.field).toBe('code');
    expect((await exchange('samlc_nonsense')).status).toBe(401);
  });
});

describe('SAMLRequest of a client', () => {
  let request: (id: string, more?: Record<string, string>) => string;
  beforeAll(() => {
    request = (id, more = {}) => {
      const attributes = { ID: id, Version: '2.0', IssueInstant: world.platform.clock.now().toISOString(), ...more };
      const { Issuer = world.connection.sp_entity_id, ...shown } = attributes as Record<string, string>;
      const text = Object.entries(shown).map(([name, value]) => `${name}="${value}"`);
      return `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ${text.join(' ')}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${Issuer}</saml:Issuer></samlp:AuthnRequest>`;
    };
  });
  const plain = (xml: string) => Buffer.from(xml).toString('base64');
  const deflated = (xml: string) => deflateRawSync(xml).toString('base64');
  const newRequestId = () => `_${crypto.randomUUID()}`;

  test.each([
    ['plain', plain],
    ['deflated', deflated],
  ])("GET /saml/sso forwards a %s SAMLRequest unchanged, and the identity provider's response returns 200", async (_, encode) => {
    const xml = request(newRequestId(), { AssertionConsumerServiceURL: world.connection.acs_url, Destination: world.ssoUrl });
    const begun = await world.begin({ SAMLRequest: encode(xml), RelayState: '/after' });
    expect(begun.body).toBeUndefined();
    expect(begun).toMatchObject({ status: 302, xml, relayState: '/after' });
    expect(begun.location).toContain(world.ssoUrl);
    expect((await world.deliver(await world.respond({ inResponseTo: begun.id }))).status).toBe(200);
  });

  test.each([
    ['is not Base64', () => '%%%'],
    ['is Base64 of other text', () => plain('nonsense')],
    ['is not XML', () => plain('<samlp:AuthnRequest')],
    ['is another SAML message', () => plain('<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>')],
    ['has a document type', () => plain(`<!DOCTYPE x>${request(newRequestId())}`)],
    ['comes from an unknown sender', () => plain(request(newRequestId(), { Issuer: 'https://unknown.example.com' }))],
    [
      'comes from an unknown connection',
      () => plain(request(newRequestId(), { Issuer: `${world.tenant.origin}/saml/metadata?connection=saml_none` })),
    ],
    [
      'requests the response at another URL',
      () => plain(request(newRequestId(), { AssertionConsumerServiceURL: 'https://evil.example.com' })),
    ],
    ['is meant for another identity provider', () => plain(request(newRequestId(), { Destination: 'https://evil.example.com' }))],
    ['is too old', () => plain(request(newRequestId(), { IssueInstant: '2020-01-01T00:00:00Z' }))],
    ['has no date', () => plain(request(newRequestId(), { IssueInstant: 'now' }))],
    ['has a short id', () => plain(request('_1'))],
    ['inflates to too much data', () => deflateRawSync(Buffer.alloc(10_000_000, 32)).toString('base64')],
  ])('a SAMLRequest that %s returns 400 INVALID_PARAMETERS', async (_, encoded) => {
    const { status, body } = await world.begin({ SAMLRequest: encoded() });
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'SAMLRequest' } });
  });

  test('a SAMLRequest whose id was used before returns 400', async () => {
    const encoded = plain(request(newRequestId()));
    expect((await world.begin({ SAMLRequest: encoded })).status).toBe(302);
    expect((await world.begin({ SAMLRequest: encoded })).status).toBe(400);
  });
});

test.each([
  ['GET', '/saml/acs', 'POST'],
  ['PUT', '/saml/token', 'POST'],
  ['POST', '/saml/sso', 'GET, HEAD'],
  ['DELETE', '/saml/metadata', 'GET, HEAD'],
])('%s %s returns 405, and the response lists the allowed methods', async (method, path, allow) => {
  const response = await fetch(world.tenant.origin + path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect(((await response.json()) as Json).error.code).toBe('METHOD_NOT_ALLOWED');
});

describe('SAML sign-in parameters', () => {
  test.each([
    ['no parameter', {}],
    ['connection and email together', { connection: 'saml_1', email: 'a@b.example' }],
    ['an unknown parameter', { connection: 'saml_1', redirect: 'https://evil.example.com' }],
  ])('GET /saml/sso with %s returns 400', async (_, query) => {
    expect((await world.begin(query as Record<string, string>)).status).toBe(400);
  });

  test('GET /saml/sso returns the same 404 for an inactive and an unknown connection', async () => {
    const off = await SamlWorld.open({ active: false });
    const [inactive, absent] = [await off.begin(), await off.begin({ connection: 'saml_01JQ8Z6V4T9M3N2B1C0D9E8F7G' })];
    expect([inactive.status, absent.status]).toEqual([404, 404]);
    expect(inactive.body.error.message.replace(off.connection.id, '')).toBe(absent.body.error.message.replace(/saml_01J\w+/, ''));
  });
});

describe('SAML service provider metadata', () => {
  test('the samlify library can parse the SAML metadata of the platform', async () => {
    const response = await fetch(`${world.tenant.origin}/saml/metadata`);
    expect(response.headers.get('content-type')).toBe('application/samlmetadata+xml');
    const metadata = await response.text();
    const { entityMeta } = ServiceProvider({ metadata });
    expect(entityMeta.getEntityID()).toBe(`${world.tenant.origin}/saml/metadata`);
    expect(entityMeta.getAssertionConsumerService('post')).toBe(`${world.tenant.origin}/saml/acs`);
    expect(entityMeta.isWantAssertionsSigned()).toBe(true);
    expect(metadata).toMatch(/Name="email"[^>]*isRequired="true"/);
    expect(metadata).toMatch(/Name="groups"[^>]*isRequired="false"/);
  });

  test('the SAML metadata of a connection has the entity id of the connection, and an unknown connection returns 404', async () => {
    const { entityMeta } = ServiceProvider({ metadata: await (await fetch(world.connection.sp_entity_id)).text() });
    expect(entityMeta.getEntityID()).toBe(world.connection.sp_entity_id);
    expect((await fetch(`${world.tenant.origin}/saml/metadata?connection=saml_"><x`)).status).toBe(404);
    expect((await fetch(`${world.tenant.origin}/saml/metadata?nonsense=1`)).status).toBe(400);
  });
});

test.each([
  ['/saml/sso', 'connection'],
  ['/saml/sso', 'email'],
  ['/saml/metadata', 'connection'],
])('%s with a null character in the parameter %s returns 400 INVALID_PARAMETERS', async (path, field) => {
  const response = await fetch(`${world.tenant.origin}${path}?${field}=a%00`, { redirect: 'manual' });
  expect(response.status).toBe(400);
  expect((await response.json()).error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
});
