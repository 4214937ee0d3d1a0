import { SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UrlGuard } from '../../kernel/outbound/ssrf.ts';
import { KeySetFetcher } from '../../subgraphs/identity/issuers/key-set-fetcher.ts';
import { type Rig, rig, start } from '../rig.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';
import { AUDIENCE, type IssuerOptions, seconds, signer, type TestIssuer, trustedIssuer } from './issuer.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
});
beforeEach(async () => {
  tenant = await platform.organization();
});

const idp = ({ by = tenant, ...options }: IssuerOptions & { by?: Tenant } = {}): Promise<TestIssuer> => trustedIssuer(by, options);

const callerWith = (token: string): Tenant => new Tenant(platform.origin, '', token);
const ask = (token: string): Promise<RestResponse> => callerWith(token).rest('GET', '/auth/verify');
const refusal = async (token: string): Promise<string | undefined> => (await ask(token)).body.error?.code;

describe('tokens of a trusted issuer', () => {
  test('a token of a trusted issuer authenticates an API client that has the permissions of the issuer', async () => {
    const { id, token, response } = await idp({ body: { permissions: ['accounts:read', 'credentials:read'] } });
    expect(response.status).toBe(201);
    const { status, body } = await ask(await token());
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      type: 'client',
      id: `${id}:deployer`,
      organization_id: tenant.organizationId,
      permissions: ['accounts:read', 'credentials:read'],
      user: null,
    });
    const client = callerWith(await token());
    expect((await client.rest('GET', '/accounts')).status).toBe(200);
    expect((await client.rest('GET', '/support/tickets')).status).toBe(403);
    expect((await client.graphql('{ organization { id } }')).data.organization.id).toBe(tenant.organizationId);
  });

  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('a token of a trusted issuer is accepted if it is signed with %s', async (alg) => {
    const { token } = await idp({ keys: [await signer(alg)] });
    expect((await ask(await token())).status).toBe(200);
  });

  test.each([
    ['a list', ['accounts:read', 'billing:read', 'nonsense', 5], ['accounts:read']],
    ['words in dotted form', 'openid accounts.read accounts.create', ['accounts:read', 'accounts:create']],
    ['a wildcard within the permissions', 'accounts:*', ['accounts:*']],
    ['wildcards beyond the permissions', ['*:*', 'billing:*'], ['accounts:*']],
    ['absent', undefined, []],
    ['an object', { accounts: 'read' }, []],
  ])('a token of a trusted issuer whose permissions claim is %s (%j) has the permissions %j', async (_, scope, permissions) => {
    const { token } = await idp({ body: { permissions_claim: 'scope' } });
    expect((await ask(await token({ scope }))).body.data.permissions).toEqual(permissions);
  });

  test('a token of a trusted issuer for a subject that is not registered returns INVALID_CREDENTIALS', async () => {
    const { token } = await idp({ body: { subjects: ['repo:acme/deploy:*', 'cron'] } });
    for (const sub of ['repo:acme/deploy:main', 'cron']) expect((await ask(await token({ sub }))).status).toBe(200);
    for (const sub of ['repo:acme/other:main', 'crontab', 'Cron', 'x\u0000y', 'ü', 'x'.repeat(256)])
      expect(await refusal(await token({ sub }))).toBe('INVALID_CREDENTIALS');
  });

  test('a token of a trusted issuer is accepted with several audiences and up to 30 s after its expiry', async () => {
    const { token } = await idp();
    expect((await ask(await token({ aud: ['https://other.example.com', AUDIENCE], exp: seconds() - 20 }))).status).toBe(200);
  });
});

describe('refused tokens of trusted issuers', () => {
  test.each([
    ['of an unregistered audience', { aud: 'https://other.example.com' }, {}],
    ['without audience', { aud: undefined }, {}],
    ['of another issuer', { iss: 'https://other.example.com' }, {}],
    ['without issuer', { iss: undefined }, {}],
    ['without subject', { sub: undefined }, {}],
    ['without expiry', { exp: undefined }, {}],
    ['that is not valid yet', { nbf: 4_102_444_800 }, {}],
    ['of another type', {}, { typ: 'logout+jwt' }],
    ['of a key that is not in the set', {}, { kid: 'other' }],
    ['with an unknown critical extension', {}, { crit: ['x-extension'], 'x-extension': 1 }],
  ])('a token of a trusted issuer %s returns INVALID_CREDENTIALS', async (_, claims, header) => {
    const { token } = await idp();
    expect(await refusal(await token(claims, header))).toBe('INVALID_CREDENTIALS');
  });

  test('an expired token of a trusted issuer returns TOKEN_EXPIRED, even if the token was cached before it expired', async () => {
    const { token } = await idp();
    expect(await refusal(await token({ exp: seconds() - 60 }))).toBe('TOKEN_EXPIRED');
    const soon = await token({ exp: seconds() + 5 });
    expect((await ask(soon)).status).toBe(200);
    platform.clock.advance(60_000);
    expect(await refusal(soon)).toBe('TOKEN_EXPIRED');
  });

  test("a trusted issuer's token that is unsigned, or signed by HMAC with the public key, returns INVALID_CREDENTIALS", async () => {
    const [key] = [await signer('RS256')];
    const { uri } = await idp({ keys: [key] });
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: uri, aud: AUDIENCE, sub: 'deployer', exp: seconds() + 600 };
    expect(await refusal(`${part({ alg: 'none', kid: key.kid })}.${part(claims)}.`)).toBe('INVALID_CREDENTIALS');
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .sign(new TextEncoder().encode(JSON.stringify(key.jwk)));
    expect(await refusal(confused)).toBe('INVALID_CREDENTIALS');
  });

  test("a trusted issuer's token signed by a key in its header, or not with its key's algorithm, returns INVALID_CREDENTIALS", async () => {
    const { token, set } = await idp();
    const foreign = await signer();
    expect(await refusal(await token({}, { jwk: foreign.jwk }, foreign))).toBe('INVALID_CREDENTIALS');
    const rsa = await signer('RS256');
    set.body = { keys: [{ ...rsa.jwk, alg: 'PS256' }] };
    expect(await refusal(await token({}, {}, rsa))).toBe('INVALID_CREDENTIALS');
  });

  test('a token of a trusted issuer with a changed payload returns INVALID_CREDENTIALS', async () => {
    const { token } = await idp();
    const [header, , signature] = (await token()).split('.');
    const [, payload] = (await token({ sub: 'root' })).split('.');
    expect(await refusal(`${header}.${payload}.${signature}`)).toBe('INVALID_CREDENTIALS');
  });

  test("reducing a trusted issuer's permissions limits its tokens immediately, and deleting the issuer invalidates them", async () => {
    const { id, token } = await idp();
    const shown = await token();
    expect((await ask(shown)).status).toBe(200);
    await tenant.rest('PUT', `/auth/trusted-issuers/${id}`, { body: { permissions: ['accounts:read'] } });
    expect((await ask(shown)).body.data.permissions).toEqual(['accounts:read']);
    expect((await tenant.rest('DELETE', `/auth/trusted-issuers/${id}`)).body.data.id).toBe(id);
    expect(await refusal(shown)).toBe('INVALID_CREDENTIALS');
  });
});

describe('key set of a trusted issuer', () => {
  test('the key set of a trusted issuer is fetched only once for six tokens', async () => {
    const { token, set } = await idp();
    await Promise.all(Array.from({ length: 5 }, async (_, n) => ask(await token({ jti: String(n) }))));
    await ask(await token({ jti: 'later' }));
    expect(set.requests).toBe(1);
  });

  test('the key set of a trusted issuer is fetched again for an unknown key, but not within 30 s', async () => {
    const { token, set, signers } = await idp();
    expect((await ask(await token())).status).toBe(200);
    const next = await signer();
    set.body = { keys: [...signers, next].map(({ jwk }) => jwk) };
    for (let n = 0; n < 3; n++) expect(await refusal(await token({ jti: String(n) }, {}, next))).toBe('INVALID_CREDENTIALS');
    expect(set.requests).toBe(1);
    platform.clock.advance(31_000);
    expect((await ask(await token({}, {}, next))).status).toBe(200);
    expect(set.requests).toBe(2);
  });

  test.each([
    ['the max-age of the response', 'public, max-age=3600', 3500, 3700],
    ['at least a minute', 'no-store', 50, 70],
    ['at most a day', 'max-age=999999999', 86_000, 87_000],
    ['ten minutes by default', undefined, 590, 610],
  ])('the key set of a trusted issuer is cached for %s', async (_, cacheControl, kept, expiredAfter) => {
    const { token, set } = await idp();
    if (cacheControl) set.headers = { 'cache-control': cacheControl };
    const use = async (jti: string) => expect((await ask(await token({ jti }))).status).toBe(200);
    await use('first');
    platform.clock.advance(kept * 1000);
    await use('within');
    expect(set.requests).toBe(1);
    platform.clock.advance((expiredAfter - kept) * 1000);
    await use('after');
    expect(set.requests).toBe(2);
  });

  test('the cached key set of an unavailable issuer is used for one day, and after this day its tokens return 401', async () => {
    const { token, set } = await idp();
    expect((await ask(await token())).status).toBe(200);
    set.status = 503;
    platform.clock.advance(3_600_000);
    expect((await ask(await token({ jti: 'stale' }))).status).toBe(200);
    platform.clock.advance(86_400_000);
    const gone = await ask(await token({ jti: 'too old' }));
    expect(gone.status).toBe(401);
    expect(gone.body.error.message).toMatch(/cannot be fetched/);
    set.status = 200;
    platform.clock.advance(31_000);
    expect((await ask(await token({ jti: 'back' }))).status).toBe(200);
  });

  test.each([
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['an error', { status: 500 }],
    ['not JSON', { body: '<html>' }],
    ['an object without keys', { body: { keys: 'none' } }],
    ['null', { body: 'null' }],
    ['more than 256 KiB', { body: { keys: [], filler: 'x'.repeat(300_000) } }],
  ])('a token of an issuer whose key set response is %s returns INVALID_CREDENTIALS', async (_, wrong) => {
    const { token, set } = await idp();
    Object.assign(set, wrong);
    expect(await refusal(await token())).toBe('INVALID_CREDENTIALS');
  });

  test('fetching the key set of a trusted issuer from a private IP address fails with an error', async () => {
    const { uri } = await idp();
    const fetcher = new KeySetFetcher(new UrlGuard({ allowPrivate: false }));
    await expect(fetcher.fetch(uri)).rejects.toThrow(/private, loopback or link-local/);
    await fetcher.stop();
  });
});

describe('trusted issuer registration', () => {
  const post = (body: object, by: Tenant = tenant) =>
    by.rest('POST', '/auth/trusted-issuers', {
      body: {
        name: 'x',
        issuer: 'https://a.example.com',
        audience: 'b',
        jwks_uri: 'https://a.example.com/k',
        permissions: ['accounts:read'],
        ...body,
      },
    });

  test('a trusted issuer can be listed by its organization, and operations by another organization return 404', async () => {
    const { response, id, uri } = await idp();
    expect(response.body.data).toEqual({
      id: expect.stringMatching(/^iss_/),
      name: 'Own',
      issuer: uri,
      audience: AUDIENCE,
      jwks_uri: uri,
      permissions: ['accounts:*'],
      accounts: null,
      permissions_claim: null,
      subjects: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await tenant.rest('GET', '/auth/trusted-issuers')).body.data).toEqual([response.body.data]);
    const other = await platform.organization();
    expect((await other.rest('GET', '/auth/trusted-issuers')).body.data).toEqual([]);
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await other.rest(method, `/auth/trusted-issuers/${id}`, method === 'PUT' ? { body: {} } : {})).status).toBe(404);
  });

  test('registering the same issuer and audience again returns 409 without the id of the organization that has them', async () => {
    const { uri } = await idp();
    const other = await platform.organization();
    for (const by of [tenant, other]) {
      const { status, body } = await post({ issuer: uri, audience: AUDIENCE }, by);
      expect(status).toBe(409);
      expect(body.error.code).toBe('DUPLICATE_RESOURCE');
      expect(JSON.stringify(body)).not.toContain(tenant.organizationId);
    }
    const { body } = await post({ issuer: uri, audience: 'mine' }, other);
    expect((await other.rest('PUT', `/auth/trusted-issuers/${body.data.id}`, { body: { audience: AUDIENCE } })).status).toBe(409);
  });

  test('a token of a trusted issuer with audiences of two organizations returns INVALID_CREDENTIALS', async () => {
    const { uri, token } = await idp();
    const other = await platform.organization();
    await post({ issuer: uri, jwks_uri: uri, audience: 'theirs' }, other);
    expect(await refusal(await token({ aud: [AUDIENCE, 'theirs'] }))).toBe('INVALID_CREDENTIALS');
    expect((await ask(await token({ aud: 'theirs' }))).body.data.organization_id).toBe(other.organizationId);
  });

  test.each([
    ['name', { name: ' ' }],
    ['issuer', { issuer: 'not a url' }],
    ['issuer', { issuer: '' }],
    ['audience', { audience: '' }],
    ['audience', { audience: 'a b' }],
    ['jwks_uri', { jwks_uri: 'ftp://a.example.com/keys' }],
    ['jwks_uri', { jwks_uri: 'https://user:pass@a.example.com/keys' }],
    ['permissions', { permissions: [] }],
    ['permissions', { permissions: ['everything'] }],
    ['permissions_claim', { permissions_claim: '' }],
    ['subjects', { subjects: [''] }],
    ['subjects', { subjects: Array<string>(101).fill('x') }],
    ['keys', { keys: [] }],
  ])('registering a trusted issuer with an invalid value of the field %s returns 400: %j', async (field, wrong) => {
    const { status, body } = await post(wrong);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.details.field.replace(/\.\d+$/, '')).toBe(field);
    expect((await tenant.rest('GET', '/auth/trusted-issuers')).body.data).toEqual([]);
  });

  test('registering the platform itself as a trusted issuer returns an error for the field issuer', async () => {
    const { body } = await post({ issuer: platform.origin });
    expect(body.error.details.field).toBe('issuer');
  });

  test('a trusted issuer whose key set URL uses http or a private address returns 400 unless ALLOW_PRIVATE_URLS is set', async () => {
    const strict = await start({ ALLOW_PRIVATE_URLS: '' });
    const own = await strict.organization();
    for (const url of ['http://1.1.1.1/keys', 'https://127.0.0.1/keys', 'https://169.254.169.254/latest', 'https://[::1]/keys']) {
      const { status, body } = await post({ jwks_uri: url, issuer: 'https://1.1.1.1' }, own);
      expect(status).toBe(400);
      expect(body.error.details.field).toBe('jwks_uri');
    }
    await strict.close();
  });

  test('creating, changing or deleting a trusted issuer that has more permissions than the caller returns an error that names the missing permission', async () => {
    const limited = await tenant.limitedTo('credentials:admin', 'accounts:read');
    expect((await post({ permissions: ['accounts:write'] }, limited)).body.error.details.required).toBe('accounts:write');
    const { id } = await idp({ body: { permissions: ['billing:read'] } });
    const change = await limited.rest('PUT', `/auth/trusted-issuers/${id}`, { body: { jwks_uri: 'https://a.example.com/keys' } });
    expect(change.body.error.details.required).toBe('billing:read');
    expect((await limited.rest('DELETE', `/auth/trusted-issuers/${id}`)).status).toBe(403);
    expect((await post({}, await userOf(tenant, 'member'))).status).toBe(403);
  });

  test('the audit log records the creation and deletion of a trusted issuer', async () => {
    const { id } = await idp();
    await tenant.rest('DELETE', `/auth/trusted-issuers/${id}`);
    const { body } = await tenant.rest('GET', `/auth/audit?client_id=${id}&sort=timestamp:asc`);
    expect(body.data.map(({ event_type }: Json) => event_type)).toEqual(['trusted_issuer_created', 'trusted_issuer_deleted']);
  });
});
