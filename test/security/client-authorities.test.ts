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
