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

/** Uses the clock of this domain, which is not the clock of the whole platform. */
const issued = (): Promise<Issued> => issue({ now: rig.clock.now() });

const showing = ({ pem }: Issued) => ({
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

/** Writes like another process would: this process learns of it only through the database. */
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

/** Writes pending uses now, so that they do not count as statements of what follows. */
async function settled(): Promise<void> {
  await identity.authenticator.stop();
  await identity.core.trail.flush();
}

test('a certificate grants the permissions it was registered with, in its organization and on its plan', async () => {
  const shown = await issued();
  const id = await store(shown);
  const { principal, rateLimit } = await identity.authenticator.authenticate(showing(shown));
  expect(principal.toJSON()).toMatchObject({ kind: 'certificate', id, organizationId, plan: 'business', grants: ['services:read'] });
  expect(rateLimit).toBeNull();
});

test('a cached certificate costs no query, even for many concurrent connections', async () => {
  const shown = await issued();
  await store(shown);
  const attempts = () => Promise.all(Array.from({ length: 50 }, () => identity.authenticator.authenticate(showing(shown))));
  expect(await rig.statements(attempts)).toBe(2);
  await settled();
  expect(await rig.statements(attempts)).toBe(0);
});

test('an unregistered certificate is looked up only once within some seconds', async () => {
  const shown = await issued();
  const refused = async () => expect(await codeOf(identity.authenticator.authenticate(showing(shown)))).toBe('INVALID_CREDENTIALS');
  expect(await rig.statements(refused)).toBe(1);
  await settled();
  expect(await rig.statements(refused)).toBe(0);
});

test('a certificate that was refused is accepted as soon as any process has registered it', async () => {
  const other = rig.startProcess();
  await other.start();
  const shown = await issued();
  expect(await codeOf(other.authenticator.authenticate(showing(shown)))).toBe('INVALID_CREDENTIALS');
  await store(shown);
  await eventually(async () => (await codeOf(other.authenticator.authenticate(showing(shown)))) === 'ok', 5000);
  await other.stop();
});

test('a revoked certificate stops working at once in the same process and within 5 s in every other one', async () => {
  const other = rig.startProcess();
  await other.start();
  const shown = await issued();
  const id = await store(shown);
  await identity.authenticator.authenticate(showing(shown));
  await other.authenticator.authenticate(showing(shown));
  await revoke(id);

  identity.core.feed.changed(id);
  expect(await codeOf(identity.authenticator.authenticate(showing(shown)))).toBe('INVALID_CREDENTIALS');
  await eventually(async () => (await codeOf(other.authenticator.authenticate(showing(shown)))) === 'INVALID_CREDENTIALS', 5000);
  await other.stop();
});

test('uses of certificates are counted apart from those of keys, without a write per use, and written when the process stops', async () => {
  const shown = await issued();
  const id = await store(shown);
  const { text, id: keyId } = await rig.addKey(organizationId);
  for (let n = 0; n < 3; n++) await identity.authenticator.authenticate(showing(shown));
  await identity.authenticator.authenticate({ kind: 'bearer', token: text, ip: '192.0.2.1', userAgent: undefined });
  await identity.stop();
  const stored = await rig.orm.em.fork().findOneOrFail(Certificate, { id }, { filters: { organization: false } });
  expect(stored).toMatchObject({ usageCount: 3, lastUsed: expect.any(Date) });
  expect((await rig.storedKey(keyId)).usageCount).toBe(1);
});
