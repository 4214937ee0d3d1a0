import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { verifyPassword } from '../../subgraphs/identity/users/password.ts';
import { bearer, createIdentityRig, type IdentityRig } from './identity-rig.ts';

let rig: IdentityRig;
beforeEach(async () => {
  rig = await createIdentityRig();
});
afterEach(() => rig.close());

const presets = { bootstrapEmail: 'Admin@Example.com', bootstrapPassword: undefined, bootstrapApiKey: undefined };
const users = () => rig.orm.em.getConnection().execute<Record<string, string>[]>('select * from identity.user');
const count = async (table: string): Promise<number> =>
  (await rig.orm.em.getConnection().execute<unknown[]>(`select id from identity.${table}`)).length;

async function ownAccountOf(organization: string | undefined): Promise<string | undefined> {
  const sql = 'select id from identity.account where organization_id = ? and own';
  const [account] = await rig.orm.em.getConnection().execute<{ id: string }[]>(sql, [organization]);
  return account?.id;
}

test('the first start creates the operator organization on the enterprise plan, an owner with a password, and an unrestricted API key', async () => {
  const identity = rig.startProcess();
  const made = await identity.bootstrap(presets);
  expect(made).toMatchObject({
    organization: expect.stringMatching(/^org_/),
    email: 'admin@example.com',
    apiKey: expect.stringMatching(/^sk_live_/),
    clientId: expect.stringMatching(/^client_/),
    clientSecret: expect.stringMatching(/^cs_/),
  });

  const { principal } = await identity.authenticator.authenticate(bearer(made?.apiKey ?? ''));
  expect(principal).toMatchObject({ organizationId: made?.organization, plan: 'enterprise', grants: ['*:*', 'platform:admin'] });
  const [owner] = await users();
  expect(owner).toMatchObject({
    email: 'admin@example.com',
    role: 'owner',
    platform_access: 'admin',
    status: 'active',
    organization_id: made?.organization,
    account_id: await ownAccountOf(made?.organization),
  });
  expect(await verifyPassword(made?.password ?? '', owner?.password_hash ?? '')).toBe(true);
});

test('bootstrap at a later start creates nothing and returns nothing, even if presets are configured', async () => {
  const made = await rig.startProcess().bootstrap(presets);
  const again = { ...presets, bootstrapApiKey: made?.apiKey };
  expect(await rig.startProcess().bootstrap(again)).toBeUndefined();
  expect(await rig.startProcess().bootstrap({ ...presets, bootstrapApiKey: `sk_live_${'a'.repeat(64)}` })).toBeUndefined();
  expect([await count('organization'), await count('user'), await count('api_key'), await count('oauth_client')]).toEqual([1, 1, 1, 1]);
});

test('exactly one of several processes that start at the same time creates the operator organization', async () => {
  const { all } = await rig.orm.em.fork().transactional(async (tx) => {
    const sql = (statement: string) => tx.execute<{ waiting: number }[]>(statement);
    await sql('lock table identity.user in exclusive mode');
    const starting = Promise.all(Array.from({ length: 3 }, () => rig.startProcess().bootstrap(presets)));
    // on a PostgreSQL server, all processes wait for the lock; on PGlite they wait for its only session
    await vi.waitFor(async () => {
      if (rig.database.pglite) return;
      const [locks] = await sql('select count(*)::int as waiting from pg_locks where not granted');
      expect(locks?.waiting).toBeGreaterThanOrEqual(3);
    }, 30_000);
    return { all: starting };
  });
  expect((await all).filter(Boolean)).toHaveLength(1);
  expect([await count('organization'), await count('user'), await count('api_key'), await count('oauth_client')]).toEqual([1, 1, 1, 1]);
});

test('bootstrap creates the first owner with the preset email address, password and API key', async () => {
  const identity = rig.startProcess();
  const apiKey = `sk_live_${'Ab1'.repeat(21)}z`;
  const made = await identity.bootstrap({
    bootstrapEmail: 'root@example.com',
    bootstrapPassword: 'a preset password',
    bootstrapApiKey: apiKey,
  });
  expect(made).toMatchObject({ email: 'root@example.com', password: 'a preset password', apiKey });
  await identity.authenticator.authenticate(bearer(apiKey));
});

test('bootstrap creates an OAuth client with all scopes and with the preset id, secret and redirect URI', async () => {
  const made = await rig.startProcess().bootstrap({
    ...presets,
    bootstrapClientId: 'client_preset1',
    bootstrapClientSecret: 'a preset secret that is long enough',
    bootstrapRedirectUri: 'https://app.example.com/callback',
  });
  expect(made).toMatchObject({ clientId: 'client_preset1', clientSecret: 'a preset secret that is long enough' });
  const [client] = await rig.orm.em.getConnection().execute<Record<string, unknown>[]>('select * from identity.oauth_client');
  expect(client).toMatchObject({
    id: 'client_preset1',
    organization_id: made?.organization,
    permissions: ['*:*'],
    redirect_uris: ['https://app.example.com/callback'],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'device_code'],
  });
  expect(JSON.stringify(client)).not.toContain('a preset secret');
});

test('startup fails with ConfigError if BOOTSTRAP_REDIRECT_URI is not an https address', async () => {
  const error = await rig
    .startProcess()
    .bootstrap({ ...presets, bootstrapRedirectUri: 'http://app.example.com/' })
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(/^BOOTSTRAP_REDIRECT_URI must be an https address/) });
  expect(await count('organization')).toBe(0);
});

test.each([
  ['too short', false, 'sk_live_abc'],
  ['a test key on the live platform', false, `test_sk_${'a'.repeat(64)}`],
  ['a live key in a sandbox', true, `sk_live_${'a'.repeat(64)}`],
])(
  'startup fails with ConfigError if BOOTSTRAP_API_KEY is %s, and the error does not contain the key',
  async (_, sandbox, bootstrapApiKey) => {
    const error = await rig
      .startProcess({ sandbox })
      .bootstrap({ ...presets, bootstrapApiKey })
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      name: 'ConfigError',
      message: `BOOTSTRAP_API_KEY must be ${sandbox ? 'test_sk_' : 'sk_live_'} and 64 letters or digits.`,
    });
    expect(await count('organization')).toBe(0);
  },
);

test('no secret that bootstrap creates is logged or stored as plain text', async () => {
  const made = await rig.startProcess().bootstrap(presets);
  const stored = JSON.stringify([
    await users(),
    await rig.orm.em.getConnection().execute('select * from identity.api_key'),
    await rig.orm.em.getConnection().execute('select * from identity.oauth_client'),
  ]);
  for (const secret of [made?.password ?? '', made?.apiKey ?? '', made?.clientSecret ?? '']) {
    expect(stored).not.toContain(secret);
    expect(rig.logged.join()).not.toContain(secret);
  }
});
