import { X509Certificate } from 'node:crypto';
import { ExtendedKeyUsage } from '@peculiar/x509';
import { beforeEach, describe, expect, test } from 'vitest';
import { clock, rig } from '../rig.ts';
import { ec, type Issued, issue, issueAuthority, pemOf, rsa, type Wanted } from '../support/certificates.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization();
});

const register = (certificate: unknown, members: object = {}, by: Tenant = tenant) =>
  by.rest('POST', '/auth/certificates', { body: { certificate, name: 'Export', permissions: ['services:read'], ...members } });
const registered = async (members: object = {}, by: Tenant = tenant): Promise<Json> =>
  (await register((await issue()).pem, members, by)).body.data;
const listed = async (): Promise<Json[]> => (await tenant.rest('GET', '/auth/certificates')).body.data;

describe('registered certificates', () => {
  test('a registered certificate is returned with its parsed contents and permissions, and with a usage count of 0', async () => {
    const { pem } = await issue({ subject: 'C=US, O=Acme, CN=export' });
    const parsed = new X509Certificate(pem);
    const { status, body } = await register(pem, { permissions: ['services:read', 'billing:*', 'services:read'] });
    expect(status).toBe(201);
    expect(body.metadata.request_id).toMatch(/^req_/);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^cert_/),
      name: 'Export',
      permissions: ['services:read', 'billing:*'],
      accounts: null,
      fingerprint: parsed.fingerprint256.replaceAll(':', '').toLowerCase(),
      subject: 'C=US, O=Acme, CN=export',
      issuer: 'C=US, O=Acme, CN=export',
      serial_number: parsed.serialNumber.toLowerCase(),
      not_before: parsed.validFromDate.toISOString(),
      not_after: parsed.validToDate.toISOString(),
      validity: 'valid',
      status: 'active',
      revoked_at: null,
      last_used: null,
      usage_count: 0,
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await tenant.rest('GET', `/auth/certificates/${body.data.id}`)).body.data).toEqual(body.data);
  });

  test('GraphQL and REST return the same certificate', async () => {
    const { id, fingerprint } = await registered();
    const { data } = await tenant.graphql('query ($id: ID!) { certificate(id: $id) { fingerprint status validity } }', { id });
    expect(data.certificate).toEqual({ fingerprint, status: 'ACTIVE', validity: 'VALID' });
  });

  test('a certificate can be registered before it is valid, and its validity later changes to valid and then to expired', async () => {
    const { id, validity } = (await register((await issue({ validFromDays: 1, validToDays: 2 })).pem)).body.data;
    expect(validity).toBe('not_yet_valid');
    const read = async () => (await tenant.rest('GET', `/auth/certificates/${id}`)).body.data.validity;
    await (await rig()).advance(36 * 3600 * 1000);
    expect(await read()).toBe('valid');
    await (await rig()).advance(36 * 3600 * 1000);
    expect(await read()).toBe('expired');
  });

  test('revoking a certificate twice returns the time of the first revocation, and the certificate can still be read', async () => {
    const { id } = await registered();
    const { status, body } = await tenant.rest('DELETE', `/auth/certificates/${id}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, status: 'revoked', revoked_at: expect.stringMatching(/Z$/) });
    clock.advance(1000);
    expect((await tenant.rest('DELETE', `/auth/certificates/${id}`)).body.data).toEqual(body.data);
    expect((await tenant.rest('GET', `/auth/certificates/${id}`)).body.data).toEqual(body.data);
  });
});

describe('rejected certificates', () => {
  const made = async (wanted: Wanted): Promise<string> => (await issue(wanted)).pem;
  const wrongs: [string, RegExp, () => Promise<unknown>][] = [
    ['that is missing', /required/, async () => undefined],
    ['that is empty', /in PEM/, async () => ''],
    ['that is not PEM', /in PEM/, async () => 'MIIBgTCCASeg'],
    ['that is a signing request', /in PEM/, async () => pemOf('CERTIFICATE REQUEST', Buffer.from('request'))],
    ['that is truncated', /in PEM/, async () => (await made({})).replace(/-----END.*/s, '')],
    ['that is damaged', /cannot be read/, async () => pemOf('CERTIFICATE', Buffer.from('certificate'))],
    ['with its chain', /one certificate/, async () => `${await made({})}${await made({})}`],
    ['that is too long', /at most 16384/, async () => `${await made({})}${' '.repeat(16_384)}`],
    ['that has expired', /expired at .+Z/, () => made({ validFromDays: -2, validToDays: -1 })],
    ['that ends before it begins', /ends before/, () => made({ validFromDays: 3, validToDays: 2 })],
    ['with an RSA key of 1024 bits', /2048 bits/, () => made({ algorithm: rsa(1024) })],
    ['signed with SHA-1', /SHA-256/, () => made({ algorithm: rsa(2048, 'SHA-1') })],
    ['signed with SHA-1 by RSA-PSS', /SHA-256/, () => made({ algorithm: rsa(2048, 'SHA-1', 'RSA-PSS') })],
    ['signed with MD5', /SHA-256/, async () => MD5],
    ['of a certificate authority', /authority/, async () => (await issueAuthority()).pem],
    ['for servers only', /client authentication/, () => made({ uses: [ExtendedKeyUsage.serverAuth] })],
  ];

  test.each(wrongs)('registering a certificate %s returns 400 INVALID_PARAMETERS with the reason %s', async (_, reason, pem) => {
    const { status, body } = await register(await pem());
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'certificate' } });
    expect(body.error.details.reason).toMatch(reason);
    expect(await listed()).toEqual([]);
  });

  test('the error for a certificate with several problems lists all of them', async () => {
    const { body } = await register(await made({ algorithm: rsa(1024, 'SHA-1'), validFromDays: -2, validToDays: -1 }));
    expect(body.error.details.errors.map(({ field }: Json) => field)).toEqual(['certificate', 'certificate', 'certificate']);
  });

  test.each([
    ['before it', ({ pem, key }: Issued) => `${key}${pem}`],
    ['after it', ({ pem, key }: Issued) => `${pem}${key}`],
    ['instead of it', ({ key }: Issued) => key],
    ['after it and much other text', ({ pem, key }: Issued) => `${pem}${' '.repeat(16_384)}${key}`],
  ])(
    'registering a certificate with a private key %s returns 400, and neither the response nor the log contains the key',
    async (_, text) => {
      const issued = await issue();
      const { status, body } = await register(text(issued));
      expect(status).toBe(400);
      expect(body.error.details.reason).toMatch(/private key/);
      const secret = issued.key.split('\n')[1] as string;
      expect(JSON.stringify(body)).not.toContain(secret);
      expect((await rig()).logged.join()).not.toContain(secret);
    },
  );

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['permissions', { permissions: [] }],
    ['permissions', { permissions: ['services:fly'] }],
    ['fingerprint', { fingerprint: 'ab' }],
    ['status', { status: 'active' }],
  ])('registering a certificate with an invalid %s returns 400: %j', async (field, wrong) => {
    const { status, body } = await register((await issue()).pem, wrong);
    expect(status).toBe(400);
    expect(body.error.details.field.replace(/\.\d+$/, '')).toBe(field);
    expect(await listed()).toEqual([]);
  });

  test('registering a certificate with a permission that the caller does not have returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('credentials:create', 'services:read');
    const { status, body } = await register((await issue()).pem, { permissions: ['services:read', 'billing:read'] }, limited);
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'billing:read' } });
    expect(await listed()).toEqual([]);
  });

  test('registering a certificate that is already registered, revoked, or registered by another organization returns 409 DUPLICATE_RESOURCE', async () => {
    const other = await (await rig()).organization();
    const [own, foreign, revoked] = [await issue(), await issue(), await issue()];
    await register(own.pem);
    await register(foreign.pem, {}, other);
    await tenant.rest('DELETE', `/auth/certificates/${(await register(revoked.pem)).body.data.id}`);
    for (const { pem } of [own, foreign, revoked]) {
      const { status, body } = await register(pem);
      expect(status).toBe(409);
      const fingerprint = new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
      expect(body.error).toEqual({
        code: 'DUPLICATE_RESOURCE',
        message: 'This certificate is already registered. Issue another certificate with a different key.',
        details: { fingerprint },
        request_id: expect.any(String),
      });
    }
    expect(await listed()).toHaveLength(2);
  });

  test('of five concurrent registrations of the same certificate, one returns 201 and four return 409', async () => {
    const { pem } = await issue();
    const responses = await Promise.all(Array.from({ length: 5 }, () => register(pem)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });
});

test.each([
  ['an RSA key of 2048 bits', { algorithm: rsa(2048) }],
  ['an RSA-PSS signature over SHA-256', { algorithm: rsa(2048, 'SHA-256', 'RSA-PSS') }],
  ['an EC key on P-384', { algorithm: ec('P-384') }],
  ['no restriction of its use', { uses: [] }],
])('registering a certificate with %s returns 201', async (_, wanted: Wanted) => {
  expect((await register(`subject=CN = client\n${(await issue(wanted)).pem}`)).status).toBe(201);
});

describe('certificate list', () => {
  test("the certificate list has only the organization's certificates, newest first; long lists need no more SQL statements", async () => {
    await registered({ name: 'First' });
    const { statements, organization } = await rig();
    const few = await statements(() => tenant.rest('GET', '/auth/certificates'));
    for (const name of ['Second', 'Third', 'Fourth']) await registered({ name });
    await registered({ name: 'Elsewhere' }, await organization());

    let response: Json;
    const many = await statements(async () => {
      response = await tenant.rest('GET', '/auth/certificates');
    });
    expect(response.body.data.map(({ name }: Json) => name)).toEqual(['Fourth', 'Third', 'Second', 'First']);
    expect(response.body.pagination).toMatchObject({ page: 1, per_page: 50, total: 4, pages: 1 });
    expect(many).toHaveLength(few.length);
  });

  test('the certificate list can be sorted by name and paged by page number', async () => {
    for (const name of ['b', 'a', 'c']) await registered({ name });
    const { body } = await tenant.rest('GET', '/auth/certificates?sort=name:desc&per_page=2&page=1');
    expect(body.data.map(({ name }: Json) => name)).toEqual(['c', 'b']);
    expect(body.pagination).toMatchObject({ total: 3, pages: 2 });
    expect((await tenant.rest('GET', '/auth/certificates?sort=fingerprint')).body.error.details.field).toBe('sort');
  });
});

test('reading or revoking a certificate of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
  const { id } = await registered();
  const other = await (await rig()).organization();
  for (const method of ['GET', 'DELETE']) {
    const { status, body } = await other.rest(method, `/auth/certificates/${id}`);
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { resource: 'certificate', id } });
  }
  expect((await listed())[0].status).toBe('active');
});

/** A self-signed RSA-2048 certificate with an MD5 signature, valid until 2076. Current libraries cannot create such a certificate. */
const MD5 = `-----BEGIN CERTIFICATE-----
MIIDTDCCAjSgAwIBAgIUXGOJrMKNtC5+6e7AUqF13tJwaF4wDQYJKoZIhvcNAQEE
BQAwNDEZMBcGA1UECgwQQWNtZSBDb3Jwb3JhdGlvbjEXMBUGA1UEAwwOYmlsbGlu
Zy1leHBvcnQwIBcNMjYxMTIxMTEwNDUxWhgPMjA3NjAzMDMxMTA0NTFaMDQxGTAX
BgNVBAoMEEFjbWUgQ29ycG9yYXRpb24xFzAVBgNVBAMMDmJpbGxpbmctZXhwb3J0
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtWC3Kj038tiMUrz/cDFA
Z8/rL58Ts9JlVIh4wb0dbRis97DCdCnQQ3n3II3Qy4k16BEwU/gwkerxltxBgsdM
ETNQ5MCkM//h0iNgDj2hhMgUVZJtZ5mcDZpsf8/pWbvzxztvR6Wvbr+LPDLcV3o5
ZuFqnTqDlb581fvlenFOfI8aCpaakW5uhtp08pGsVNfCCGkw6rpy3ih4wsWXnT1+
IMPnL72hwrtspUV90DtKoXLgZ1D2BTRLvsMDQd/3VN5ZcX43Beyt4eH5tUjQtUdk
ap/67K7gt7fhE5rx217uZXWEiOWCqVHdICVQzv3p2hyRAoOOTKQGBK7ko9lxUSUe
QwIDAQABo1QwUjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUE
DDAKBggrBgEFBQcDAjAdBgNVHQ4EFgQUSCg8XL8+B83dMaH0c0CJtzRHWscwDQYJ
KoZIhvcNAQEEBQADggEBAIAblMtUdGmhdLAeeOr/2b9ZyOJJPfC4Va599vQhl43y
2TDU2WqeQpVr+hftl2GpT0iD+55O6XzbWeB36nEayfiGf9af6xU26WztpES7yHOT
rCGFyrGgh3uRHoGU4c1ZXlMGdh+O4ce9mO48oCtUifUqHHLNZJEczgmukolLNX3H
mdxy8Tbebg0GZRNHWwhXFsV4ONrD39PRGigETFTLqJhfjrS2lQZmWz/VsKpZvBie
ti6H8+TAWWYys0zwMe0GdcB9OzSq3BRcyRu2m9+lxpfBE0+oeqnnninEYHVIQLAk
x3WHOkbHjk86IySeic85qKsOaLMuRRhoiTSGgHO7TsQ=
-----END CERTIFICATE-----
`;
