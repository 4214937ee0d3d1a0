import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiKey } from '../../subgraphs/identity/api-keys/api-key.entity.ts';
import { macOf } from '../../subgraphs/identity/signing/request-signature.ts';
import type { RunningIdentity } from '../../subgraphs/identity/subgraph.ts';
import { eventually } from '../rig.ts';
import { bearer, createIdentityRig, type IdentityRig } from './identity-rig.ts';

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
// a process that went on would still write the use of its keys while a later test counts statements
afterEach(() => identity.stop());

/** The error code of a rejected attempt, or undefined if the attempt is accepted. */
const codeOf = (attempt: Promise<unknown>): Promise<string | undefined> =>
  attempt.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

test('a caller with an API key has the organization, plan, permissions and rate limit of the key', async () => {
  const { text, id } = await rig.addKey(organizationId, {
    permissions: ['services:read', 'support:create'],
    rateLimit: { requestsPerMinute: 60, burstLimit: 20 },
  });
  const { principal, rateLimit } = await identity.authenticator.authenticate(bearer(text));
  expect(principal.toJSON()).toMatchObject({
    kind: 'api_key',
    id,
    organizationId,
    plan: 'business',
    grants: ['services:read', 'support:create'],
  });
  expect(rateLimit).toEqual({ requestsPerMinute: 60, burstLimit: 20 });
});

test('the stored API key record contains a hash but not the key itself', async () => {
  const { text, id } = await rig.addKey(organizationId);
  const [row] = await rig.orm.em.getConnection().execute('select * from identity.api_key where id = ?', [id]);
  expect(JSON.stringify(row)).not.toContain(text);
  expect(JSON.stringify(row)).not.toContain(text.slice('sk_live_'.length, -4));
});

test('authenticating with a cached API key runs no database query, and 50 concurrent first requests run three queries in total', async () => {
  const { text } = await rig.addKey(organizationId);
  await rig.clock.standingStill(async () => {
    const atOnce = await rig.statements(() =>
      Promise.all(Array.from({ length: 50 }, () => identity.authenticator.authenticate(bearer(text)))),
    );
    // one statement each for the key, its organization and the status of the organization
    expect(atOnce).toBe(3);
    expect(await rig.statements(() => identity.authenticator.authenticate(bearer(text)))).toBe(0);
  });
});

test('a malformed API key, or an unknown key that was just looked up, returns 401 without a database query', async () => {
  const attempts = ['', 'x', 'sk_live_short', `sk_live_${'-'.repeat(64)}`, 'a.b.c', `test_sk_${'x'.repeat(64)}`];
  for (const token of attempts) {
    expect(
      await rig.statements(() =>
        expect(identity.authenticator.authenticate(bearer(token))).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS', status: 401 }),
      ),
    ).toBe(0);
  }
  const unknown = bearer(`sk_live_${'x'.repeat(64)}`);
  const refused = () => expect(identity.authenticator.authenticate(unknown)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await rig.clock.standingStill(async () => {
    await refused();
    expect(await rig.statements(refused)).toBe(0);
  });
});

test('the error for an invalid API key does not contain the key', async () => {
  const text = `sk_live_${'secret7'.repeat(9)}s`;
  const refusal = await identity.authenticator.authenticate(bearer(text)).catch((error: unknown) => error);
  expect(JSON.stringify([(refusal as Error).message, refusal])).not.toContain('secret7');
});

test('a revoked API key returns INVALID_CREDENTIALS immediately in the same process and within 5 s in other processes', async () => {
  const other = rig.startProcess();
  await other.start();
  const { text, id } = await rig.addKey(organizationId);
  await identity.authenticator.authenticate(bearer(text));
  await other.authenticator.authenticate(bearer(text));
  await rig.removeKey(id);

  identity.core.feed.changed(id);
  await expect(identity.authenticator.authenticate(bearer(text))).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  // the database notifies the process, long before its cache entry expires
  await eventually(async () => (await codeOf(other.authenticator.authenticate(bearer(text)))) === 'INVALID_CREDENTIALS', 5000);
  await other.stop();
});

test('an API key that is revoked during its first lookup is rejected with INVALID_CREDENTIALS at the next use', async () => {
  const { text, id } = await rig.addKey(organizationId);
  const looking = identity.authenticator.authenticate(bearer(text));
  identity.core.feed.changed(id);
  await looking;
  await rig.removeKey(id);
  await expect(identity.authenticator.authenticate(bearer(text))).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});

test('an API key is rejected with 401 TOKEN_EXPIRED from its expiry time on, even if the key is cached', async () => {
  const expiresAt = new Date(rig.clock.now().getTime() + 2000);
  const { text } = await rig.addKey(organizationId, { expiresAt });
  await identity.authenticator.authenticate(bearer(text));
  rig.clock.advance(2000);
  const expired = { code: 'TOKEN_EXPIRED', status: 401, details: { expired_at: expiresAt.toISOString() } };
  await expect(identity.authenticator.authenticate(bearer(text))).rejects.toMatchObject(expired);
  await expect(rig.startProcess().authenticator.authenticate(bearer(text))).rejects.toMatchObject(expired);
});

test('an API key with an IP whitelist is rejected with 403 IP_NOT_ALLOWED outside its IPv4 and IPv6 ranges', async () => {
  const { text } = await rig.addKey(organizationId, { ipWhitelist: ['10.0.0.0/8', '2001:db8::/32'] });
  for (const ip of ['10.9.8.7', '::ffff:10.9.8.7', '2001:db8::5']) await identity.authenticator.authenticate(bearer(text, ip));
  for (const ip of ['11.0.0.1', '2001:db9::1', '::ffff:11.0.0.1', '']) {
    await expect(identity.authenticator.authenticate(bearer(text, ip))).rejects.toMatchObject({
      code: 'IP_NOT_ALLOWED',
      status: 403,
      details: { ip },
    });
  }
});

test('a sandbox returns INVALID_CREDENTIALS for a live key, and the live platform for a test key', async () => {
  const sandbox = rig.startProcess({ sandbox: true });
  const live = await identity.createOrganization({ name: 'Live', plan: 'developer' });
  const trial = await sandbox.createOrganization({ name: 'Trial', plan: 'developer' });
  expect(trial.apiKey).toMatch(/^test_sk_[A-Za-z0-9]{64}$/);
  await sandbox.authenticator.authenticate(bearer(trial.apiKey));
  await expect(sandbox.authenticator.authenticate(bearer(live.apiKey))).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(identity.authenticator.authenticate(bearer(trial.apiKey))).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});

test('a process counts the uses of an API key in memory and adds them to the total of all processes when it stops', async () => {
  const other = rig.startProcess();
  const { text, id } = await rig.addKey(organizationId, { ipWhitelist: ['10.0.0.0/8'] });
  for (let use = 0; use < 20; use += 1) await identity.authenticator.authenticate(bearer(text, '10.0.0.1'));
  await expect(identity.authenticator.authenticate(bearer(text, '11.0.0.1'))).rejects.toThrow();
  const lastUsed = rig.clock.now();
  await other.authenticator.authenticate(bearer(text, '10.0.0.1'));
  expect(await rig.storedKey(id)).toMatchObject({ usageCount: 0, lastUsed: null });

  expect(await rig.statements(() => identity.stop())).toBe(1);
  await other.stop();
  const stored = await rig.storedKey(id);
  expect(stored.usageCount).toBe(21);
  expect(stored.lastUsed?.getTime()).toBeGreaterThanOrEqual(lastUsed.getTime());
  await identity.stop();
  expect((await rig.storedKey(id)).usageCount).toBe(21);
});

test('if writing the counted uses of an API key fails, they stay in memory until a later write succeeds', async () => {
  const { text, id } = await rig.addKey(organizationId);
  await identity.authenticator.authenticate(bearer(text));
  await rig.orm.em.getConnection().execute('alter table identity.api_key rename to api_key_away');
  await identity.stop();
  await rig.orm.em.getConnection().execute('alter table identity.api_key_away rename to api_key');
  expect((await rig.storedKey(id)).usageCount).toBe(0);
  await identity.stop();
  expect((await rig.storedKey(id)).usageCount).toBe(1);
});

test('a request signature that one process accepted is rejected as replayed by another process', async () => {
  const secrets = identity.core.apiKeySecrets;
  const { text, id } = await rig.addKey(organizationId, { requireSignature: true });
  await rig.orm.em
    .fork()
    .nativeUpdate(ApiKey, { id }, { sealedSigningSecret: secrets.seal('sgn_secret', id) }, { filters: { organization: false } });
  const timestamp = String(Math.floor(rig.clock.now().getTime() / 1000));
  const signature = macOf({ method: 'GET', path: '/v1/services' }, timestamp, 'sgn_secret').toString('base64');
  const signed = { ...bearer(text), signing: { method: 'GET', path: '/v1/services', timestamp, signature } };
  await identity.authenticator.authenticate(signed);
  const replay = rig.startProcess().authenticator.authenticate(signed);
  await expect(replay).rejects.toMatchObject({ code: 'INVALID_SIGNATURE', details: { reason: 'replayed' } });

  // the recheck of an open socket does not need a new signature
  await identity.authenticator.authenticate({ ...bearer(text), signing: 'checked at opening' });
  for (const signing of [undefined, { ...signed.signing, signature: undefined }])
    expect(
      await rig.statements(() =>
        expect(identity.authenticator.authenticate({ ...bearer(text), signing })).rejects.toMatchObject({
          details: { reason: 'missing' },
        }),
      ),
    ).toBe(0);
});
