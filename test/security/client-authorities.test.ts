import { X509Certificate } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { clock, start } from '../rig.ts';
import { type Issued, issue, issueAuthority } from '../support/certificates.ts';
import { ownDatabase } from '../support/own-database.ts';
import { register, SecureClient, serverFiles, written } from '../support/tls.ts';
import { Tenant } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;

async function started(settings: Record<string, string>) {
  const platform = await start(settings);
  onTestFinished(() => platform.close());
  return platform;
}

test('with TLS_CLIENT_CA, registering a certificate that none of the configured authorities issued returns 400', async () => {
  const [one, other, stranger] = [await issueAuthority(), await issueAuthority(), await issueAuthority()];
  const { origin, organization } = await started({ ...(await serverFiles()), TLS_CLIENT_CA: written(`${one.pem}${other.pem}`) });
  const { apiKey } = await organization();
  for (const issuer of [one, other]) {
    const issuedCert = await issue({ issuer });
    await register(origin, apiKey, issuedCert.pem, ['accounts:read']);
    expect((await new SecureClient(origin, issuedCert).rest('GET', '/accounts')).status).toBe(200);
  }

  const intermediate = await issueAuthority({ issuer: one });
  const namesake = await issueAuthority({ subject: one.certificate.subject });
  const foreign: Issued[] = [
    await issue({ issuer: stranger }),
    await issue({ issuer: intermediate }),
    await issue({ issuer: namesake }),
    await issue(),
  ];
  for (const { pem } of foreign) {
    const body = { certificate: pem, name: 'Test', permissions: ['accounts:read'] };
    const response = await new SecureClient(origin).rest('POST', '/auth/certificates', { body, headers: { 'x-api-key': apiKey } });
    expect(response.status).toBe(400);
    expect(response.body.error.details).toMatchObject({
      field: 'certificate',
      reason: expect.stringMatching(/authority that this platform accepts/),
    });
  }
});

test('a registered certificate is rejected with 401 after its authority was removed from the configuration or expired', async () => {
  const [gone, kept] = [await issueAuthority(), await issueAuthority({ validToDays: 2 })];
  const [issuedByGone, selfSigned, issuedCert] = [await issue({ issuer: gone }), await issue(), await issue({ issuer: kept })];
  const databaseUrl = await ownDatabase();
  const files = { ...(await serverFiles()), DATA_DIR: scratchFolder(), ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const before = await start(files);
  const { apiKey } = await before.organization();
  for (const { pem } of [issuedByGone, selfSigned, issuedCert]) await register(before.origin, apiKey, pem, ['accounts:read']);
  await before.close();

  const { origin } = await started({ ...files, TLS_CLIENT_CA: written(kept.pem) });
  for (const refused of [issuedByGone, selfSigned]) {
    const { status, body } = await new SecureClient(origin, refused).rest('GET', '/accounts');
    expect(status).toBe(401);
    expect(body.error).toMatchObject({ code: 'INVALID_CREDENTIALS', message: expect.stringMatching(/not issued by an authority/) });
  }
  expect((await new SecureClient(origin, issuedCert).rest('GET', '/accounts')).status).toBe(200);
  clock.advance(3 * DAY_MS);
  expect((await new SecureClient(origin, issuedCert).rest('GET', '/accounts')).status).toBe(401);
});

test('a certificate that a proxy forwards is accepted if a configured authority issued it', async () => {
  const authority = await issueAuthority();
  const settings = { CLIENT_CERT_HEADER: 'x-client-cert', TRUSTED_PROXIES: '127.0.0.0/8,::1', TLS_CLIENT_CA: written(authority.pem) };
  const { origin, organization } = await started(settings);
  const { organizationId: id, apiKey } = await organization();
  const issuedCert = await issue({ issuer: authority });
  const body = { certificate: issuedCert.pem, name: 'Test', permissions: ['accounts:read'] };
  expect((await new Tenant(origin, id, apiKey).rest('POST', '/auth/certificates', { body })).status).toBe(201);
  const header = new X509Certificate(issuedCert.pem).raw.toString('base64');
  expect((await fetch(`${origin}/v1/accounts`, { headers: { 'x-client-cert': header } })).status).toBe(200);
});

const AUTHORITY_REFUSAL = /not issued by an authority/;

test('a forwarded certificate returns 401 if it is malformed, from an untrusted sender, or of an authority that is not accepted', async () => {
  const [accepted, stranger] = [await issueAuthority(), await issueAuthority()];
  const namesake = await issueAuthority({ subject: accepted.certificate.subject });
  const valid = await issue({ issuer: accepted });
  const foreign = [await issue({ issuer: stranger }), await issue({ issuer: namesake }), await issue()];
  const databaseUrl = await ownDatabase();
  const settings = {
    CLIENT_CERT_HEADER: 'x-client-cert',
    TRUSTED_PROXIES: '127.0.0.0/8,::1',
    DATA_DIR: scratchFolder(),
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
  const statusOf = async (origin: string, header: string, more: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/v1/accounts`, { headers: { 'x-client-cert': header, ...more } });
    const { error } = (await response.json()) as { error?: { code: string; message: string } };
    return { status: response.status, code: error?.code, message: error?.message };
  };
  const base64 = (pem: string) => new X509Certificate(pem).raw.toString('base64');

  // all certificates are registered while every authority is accepted
  const before = await start(settings);
  const { organizationId, apiKey } = await before.organization();
  for (const { pem } of [valid, ...foreign]) {
    const body = { certificate: pem, name: 'Test', permissions: ['accounts:read'] };
    const { status } = await new Tenant(before.origin, organizationId, apiKey).rest('POST', '/auth/certificates', { body });
    expect([status, (await statusOf(before.origin, base64(pem))).status]).toEqual([201, 200]);
  }
  await before.close();

  const limited = { ...settings, TLS_CLIENT_CA: written(accepted.pem) };
  const platform = await start(limited);
  expect(await statusOf(platform.origin, base64(valid.pem))).toMatchObject({ status: 200 });
  for (const { pem } of foreign)
    for (const header of [
      base64(pem),
      encodeURIComponent(pem),
      `${base64(pem)},${base64(accepted.pem)}`,
      `${base64(pem)},${base64(valid.pem)}`,
    ])
      expect(await statusOf(platform.origin, header)).toMatchObject({
        status: 401,
        code: 'INVALID_CREDENTIALS',
        message: expect.stringMatching(AUTHORITY_REFUSAL),
      });
  const malformed = ['nonsense', base64(valid.pem).slice(0, -40), encodeURIComponent(valid.pem.replace('MII', 'MIJ'))];
  for (const header of malformed)
    expect(await statusOf(platform.origin, header), header).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
  await platform.close();

  const { origin } = await started({ ...limited, TRUSTED_PROXIES: '192.0.2.1' });
  for (const more of [{}, { 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }] as Record<string, string>[])
    expect(await statusOf(origin, base64(valid.pem), more)).toMatchObject({ status: 401, message: expect.stringMatching(/API key/) });
});
