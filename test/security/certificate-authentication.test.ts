import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Certificate } from '../../subgraphs/identity/certificates/certificate.entity.ts';
import { CertificateStatus } from '../../subgraphs/identity/certificates/certificate.states.ts';
import type { RunningIdentity } from '../../subgraphs/identity/subgraph.ts';
import { eventually } from '../rig.ts';
import { type Issued, issue } from '../support/certificates.ts';
import { createIdentityRig, type IdentityRig } from './identity-rig.ts';

let rig: IdentityRig;
let identity: RunningIdentity;
let organizationId: string;
beforeAll(async () => {
  rig = await createIdentityRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
  identity = rig.startProcess();
  organizationId = (await identity.createOrganization({ name: 'Test', plan: 'business' })).organization.id;
});

/** Issues a certificate that is valid at the time of the rig's clock. */
const issued = (): Promise<Issued> => issue({ now: rig.clock.now() });

const credentialsOf = ({ pem }: Issued) => ({
  kind: 'certificate' as const,
  certificate: new X509Certificate(pem),
  ip: '192.0.2.1',
  userAgent: undefined,
});
const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'ok',
    ({ code }: { code: string }) => code,
  );

/** Stores a certificate directly in the database, so that no cache of the tested process contains it. */
async function store({ pem }: Issued): Promise<string> {
  const certificate = Certificate.of(new X509Certificate(pem), {
    organizationId,
    name: 'Test',
    permissions: ['services:read'],
    createdAt: rig.clock.now(),
  });
  await rig.orm.em.fork().transactional(async (tx) => void tx.persist(certificate));
  return certificate.id;
}

const revoke = (id: string) =>
  rig.orm.em.fork().nativeUpdate(Certificate, { id }, { status: CertificateStatus.REVOKED }, { filters: { organization: false } });

/** Writes usage counts and audit records now, so that their statements are not counted later in the test. */
async function settled(): Promise<void> {
  await identity.authenticator.stop();
  await identity.core.trail.flush();
}

test('a caller with a certificate has the organization, plan and permissions of the registered certificate', async () => {
  const issuedCert = await issued();
  const id = await store(issuedCert);
  const { principal, rateLimit } = await identity.authenticator.authenticate(credentialsOf(issuedCert));
  expect(principal.toJSON()).toMatchObject({ kind: 'certificate', id, organizationId, plan: 'business', grants: ['services:read'] });
  expect(rateLimit).toBeNull();
});

test('authenticating with a cached certificate runs no database query, and 50 concurrent first connections run two queries in total', async () => {
  const issuedCert = await issued();
  await store(issuedCert);
  const attempts = () => Promise.all(Array.from({ length: 50 }, () => identity.authenticator.authenticate(credentialsOf(issuedCert))));
  expect(await rig.statements(attempts)).toBe(2);
  await settled();
  expect(await rig.statements(attempts)).toBe(0);
});

test('an unregistered certificate that was just rejected is rejected again without a database query', async () => {
  const issuedCert = await issued();
  const refused = async () =>
    expect(await codeOf(identity.authenticator.authenticate(credentialsOf(issuedCert)))).toBe('INVALID_CREDENTIALS');
  expect(await rig.statements(refused)).toBe(1);
  await settled();
  expect(await rig.statements(refused)).toBe(0);
});

test('a rejected certificate is accepted within 5 s after another process registers it', async () => {
  const other = rig.startProcess();
  await other.start();
  const issuedCert = await issued();
  expect(await codeOf(other.authenticator.authenticate(credentialsOf(issuedCert)))).toBe('INVALID_CREDENTIALS');
  await store(issuedCert);
  await eventually(async () => (await codeOf(other.authenticator.authenticate(credentialsOf(issuedCert)))) === 'ok', 5000);
  await other.stop();
});

test('a revoked certificate returns INVALID_CREDENTIALS immediately in the same process and within 5 s in other processes', async () => {
  const other = rig.startProcess();
  await other.start();
  const issuedCert = await issued();
  const id = await store(issuedCert);
  await identity.authenticator.authenticate(credentialsOf(issuedCert));
  await other.authenticator.authenticate(credentialsOf(issuedCert));
  await revoke(id);

  identity.core.feed.changed(id);
  expect(await codeOf(identity.authenticator.authenticate(credentialsOf(issuedCert)))).toBe('INVALID_CREDENTIALS');
  await eventually(async () => (await codeOf(other.authenticator.authenticate(credentialsOf(issuedCert)))) === 'INVALID_CREDENTIALS', 5000);
  await other.stop();
});

test('the uses of certificates are counted separately from the uses of API keys, and written when the process stops', async () => {
  const issuedCert = await issued();
  const id = await store(issuedCert);
  const { text, id: keyId } = await rig.addKey(organizationId);
  for (let n = 0; n < 3; n++) await identity.authenticator.authenticate(credentialsOf(issuedCert));
  await identity.authenticator.authenticate({ kind: 'bearer', token: text, ip: '192.0.2.1', userAgent: undefined });
  await identity.stop();
  const stored = await rig.orm.em.fork().findOneOrFail(Certificate, { id }, { filters: { organization: false } });
  expect(stored).toMatchObject({ usageCount: 3, lastUsed: expect.any(Date) });
  expect((await rig.storedKey(keyId)).usageCount).toBe(1);
});
