import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import type { KeyRing, RingKey } from '../../subgraphs/identity/tokens/key-ring.ts';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';

let platform: Rig;
let ring: KeyRing;
let tenant: Tenant;
let user: TestUser;
let key: RingKey;
beforeAll(async () => {
  platform = await rig();
  ring = platform.assembly.domains.identity.core.ring;
  // earlier test files may have moved the clock past a key rotation
  await ring.rotate({ atOnce: true });
});
beforeEach(async () => {
  tenant = await platform.organization();
  user = await userOf(tenant);
  key = await ring.current();
});

const seconds = (): number => Math.floor(platform.clock.now().getTime() / 1000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const ask = (token: string): Promise<RestResponse> => new Tenant(tenant.origin, '', token).rest('GET', '/auth/verify');

interface Forgery {
  claims?: object;
  header?: Partial<JWTHeaderParameters>;
  signWith?: CryptoKey | Uint8Array;
}

/** Signs a token with the user's claims and the given changes. A claim that is undefined is omitted. */
function forge({ claims = {}, header = {}, signWith = key.privateKey }: Forgery = {}): Promise<string> {
  const body = { ...claimsOf(user.tokens.access_token), jti: newId('token'), ...claims };
  return new SignJWT(body).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header }).sign(signWith);
}

async function expectRefused(token: string, code = 'INVALID_CREDENTIALS'): Promise<void> {
  const { status, body, headers } = await ask(token);
  expect([status, body.error?.code]).toEqual([401, code]);
  expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect(JSON.stringify(body)).not.toContain(token);
  const { errors } = await new Tenant(tenant.origin, '', token).graphql('{ organization { id } }');
  expect(errors?.[0].extensions.code).toBe(code);
}

test('a token with valid claims and an unused jti is accepted if the platform key signed it', async () => {
  expect((await ask(await forge())).body.data).toMatchObject({ type: 'user', id: user.id, organization_id: tenant.organizationId });
});

describe('invalid tokens signed by the platform key', () => {
  test.each([
    ['with another issuer', { iss: 'https://evil.example.com' }],
    ["with an issuer that is a prefix of the platform's issuer", { iss: 'http://127.0.0.1' }],
    ['without issuer', { iss: undefined }],
    ['for another audience', { aud: 'https://api.example.com' }],
    ['without audience', { aud: undefined }],
    ['without subject', { sub: undefined }],
    ['without id', { jti: undefined }],
    ['without expiry', { exp: undefined }],
    ['with an expiry that is not a number', { exp: 'never' }],
    ['that is not valid yet', { nbf: 4_102_444_800 }],
    ['without permissions', { permissions: undefined }],
    ['with permissions that are not a list', { permissions: '*:*' }],
    ['of another organization', { organization_id: 'org_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }],
    ['without organization', { organization_id: undefined }],
    ['of an unknown user', { sub: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }],
    ['of an unknown session', { sid: 'sess_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }],
  ])('a token %s returns 401 INVALID_CREDENTIALS even if the platform key signed it', async (_, claims) => {
    await expectRefused(await forge({ claims }));
  });

  test('a token whose sub is a user of another organization or whose sid is a session of another user returns 401', async () => {
    const other = await userOf(await platform.organization());
    await expectRefused(await forge({ claims: { sub: other.id } }));
    await expectRefused(await forge({ claims: { sid: claimsOf(other.tokens.access_token).sid } }));
  });

  test('an expired token returns 401 TOKEN_EXPIRED, even if the token was cached before it expired', async () => {
    await expectRefused(await forge({ claims: { exp: seconds() - 1 } }), 'TOKEN_EXPIRED');
    const token = await forge({ claims: { exp: seconds() + 600 } });
    expect((await ask(token)).status).toBe(200);
    platform.clock.advance(601_000);
    await expectRefused(token, 'TOKEN_EXPIRED');
  });

  test.each([
    ['another type', { typ: 'at+jwt' }],
    ['the type of an ID token', { typ: 'id+jwt' }],
    ['no type', { typ: undefined }],
    ['an unknown kid', { kid: 'key_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }],
    ['no kid', { kid: undefined }],
    ['a kid that is a path', { kid: '../../etc/passwd' }],
    ['a URL of keys', { jku: 'https://evil.example.com/jwks.json' }],
    ['a chain of certificates', { x5c: ['MIIB'] }],
  ])('a token with %s in its header returns 401 INVALID_CREDENTIALS', async (_, header) => {
    await expectRefused(await forge({ header: header as Partial<JWTHeaderParameters> }));
  });
});

describe('tokens not signed by the platform key', () => {
  test('a token with the algorithm "none" in any spelling returns 401 INVALID_CREDENTIALS', async () => {
    const claims = claimsOf(await forge());
    for (const alg of ['none', 'None', 'NONE', '']) {
      const unsigned = `${part({ alg, typ: 'JWT', kid: key.kid })}.${part(claims)}.`;
      await expectRefused(unsigned);
      await expectRefused(`${unsigned}AA`);
    }
  });

  test('a token signed by HS256 with the public key as its secret returns 401 INVALID_CREDENTIALS', async () => {
    const { publicKey, publicJwk } = key;
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(publicJwk), String(publicJwk.n)])
      await expectRefused(await forge({ header: { alg: 'HS256' }, signWith: new TextEncoder().encode(secret) }));
  });

  test('a token with an RSA algorithm other than the algorithm of the key returns 401 INVALID_CREDENTIALS', async () => {
    const { privateKey } = await generateKeyPair('RS512');
    await expectRefused(await forge({ header: { alg: 'RS512' }, signWith: privateKey }));
  });

  test('a token signed by an unknown key returns 401, even with the kid of the platform key or its own jwk in the header', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    await expectRefused(await forge({ signWith: privateKey }));
    await expectRefused(await forge({ signWith: privateKey, header: { jwk: await exportJWK(publicKey) } }));
    await expectRefused(await forge({ signWith: privateKey, header: { jwk: await exportJWK(publicKey), kid: undefined } as never }));
  });

  test('a token whose claims, header or signature were changed returns 401 INVALID_CREDENTIALS', async () => {
    const token = await forge();
    const [header, , signature] = token.split('.');
    await expectRefused(`${header}.${part({ ...claimsOf(token), exp: seconds() + 7200 })}.${signature}`);
    await expectRefused(`${part({ alg: 'RS256', typ: 'JWT', kid: key.kid, x: 1 })}.${token.split('.')[1]}.${signature}`);
    await expectRefused(`${token.slice(0, -6)}AAAAAA`);
  });

  test('malformed tokens return 401 INVALID_CREDENTIALS', async () => {
    for (const text of ['a.b.c', 'e30.e30.e30', `${part({})}.${part({ iss: 5 })}.x`, `${part([])}.${part([])}.${part([])}`])
      await expectRefused(text);
  });

  test('a request with a token and a request signature returns 401 INVALID_SIGNATURE with the reason not_signable', async () => {
    const signed = { headers: { 'x-timestamp': String(seconds()), 'x-signature': `${'A'.repeat(43)}=` } };
    const { status, body } = await user.rest('GET', '/auth/verify', signed);
    expect([status, body.error.code, body.error.details.reason]).toEqual([401, 'INVALID_SIGNATURE', 'not_signable']);
  });
});

describe('immediate revocation of cached tokens', () => {
  const inUse = async (): Promise<string> => {
    expect((await user.rest('GET', '/auth/verify')).status).toBe(200);
    return user.apiKey;
  };
  const ofUser = () => `/accounts/${user.account.id}/users/${user.id}`;
  const revoke = async (id: string): Promise<unknown> =>
    (await rows()).query(`insert into identity.revoked_token (id, revoked_at, expires_at) values ($1, now(), now() + interval '1 day')`, [
      id,
    ]);

  test('a revoked token immediately returns 401 INVALID_CREDENTIALS', async () => {
    const token = await forge();
    await revoke(claimsOf(token).jti);
    await expectRefused(token);
  });

  test('a token immediately returns 401 after all tokens of its session were revoked', async () => {
    await revoke(claimsOf(user.apiKey).sid);
    await expectRefused(await forge());
  });

  test('a token that was used just before the logout returns 401 immediately after the logout', async () => {
    const token = await inUse();
    await user.rest('POST', '/auth/logout');
    await expectRefused(token);
  });

  test('a token immediately returns 401 after its user was suspended or removed', async () => {
    const token = await inUse();
    expect((await tenant.rest('PUT', ofUser(), { body: { role: 'member' } })).status).toBe(409);
    await userOf(tenant);
    expect((await tenant.rest('PUT', ofUser(), { body: { status: 'suspended' } })).status).toBe(200);
    await expectRefused(token);
    await tenant.rest('PUT', ofUser(), { body: { status: 'active' } });
    await expectRefused(token);
    const again = await user.again();
    expect((await again.rest('GET', '/auth/verify')).status).toBe(200);
    expect((await tenant.rest('DELETE', ofUser())).status).toBe(200);
    await expectRefused(again.apiKey);
  });

  test("a token immediately loses a permission when the user's new role does not have it", async () => {
    await inUse();
    await userOf(tenant);
    expect((await user.rest('GET', '/auth/api-keys')).status).toBe(200);
    await tenant.rest('PUT', ofUser(), { body: { role: 'billing' } });
    expect((await user.rest('GET', '/auth/api-keys')).body.error.code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await user.rest('GET', '/billing/invoices')).status).toBe(200);
  });

  test('a token has only the permissions of its claims, even if its user has more', async () => {
    const narrow = await forge({ claims: { permissions: ['support:read'] } });
    expect((await ask(narrow)).body.data.permissions).toEqual(['support:read']);
  });
});

describe('signing key rotation', () => {
  test('a token signed by the previous key is accepted while this key is still published and then returns 401', async () => {
    const before = key;
    const live = await forge();
    await ring.rotate();
    expect((await ring.current()).kid).toBe(before.kid);
    platform.clock.advance(86_400_000);
    const after = await ring.current();
    expect(after.kid).not.toBe(before.kid);
    expect((await ring.published()).map(({ kid }) => kid)).toEqual([after.kid, before.kid]);
    const late = { claims: { iat: seconds(), nbf: seconds(), exp: seconds() + 3600 } };
    expect((await ask(await forge(late))).status).toBe(200);
    await expectRefused(live, 'TOKEN_EXPIRED');
    // this rotation creates the next key and reloads the key ring
    platform.clock.advance(2 * 3_600_000);
    await ring.rotate();
    await expectRefused(await forge({ claims: { exp: seconds() + 3600 } }));
  });

  test('after an immediate key rotation, a token signed by the old key returns 401, and a new login returns a valid token', async () => {
    const stolen = await forge();
    await ring.rotate({ atOnce: true });
    await expectRefused(stolen);
    expect((await (await user.again()).rest('GET', '/auth/verify')).status).toBe(200);
  });
});
