import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HASH_KEYS, KEY_CHECK, sealedPlacesOf } from '../../apps/platform/sealed-places.ts';
import { replaceKeptSecretKey } from '../../apps/platform/secret-key.ts';
import { maintain } from '../../apps/tools/maintenance.tool.ts';
import { SecretBox } from '../../kernel/access/secret-box.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { receiver } from '../events/receiver.ts';
import { openTicket, verified } from '../events/webhooks.setup.ts';
import { refresh, registered, type TestClient, tokensOf } from '../oauth.setup.ts';
import { createHistory } from '../releases/history.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { enrolled, newChallenge, verifyCode } from '../security/mfa.setup.ts';
import { type KeptDatabase, keptDatabase, refusalOf, twoDatabases } from '../support/kept-database.ts';
import { lastingPort } from '../support/port.ts';
import { programOf, RunningProcess, temporaryFolder } from '../support/process.ts';
import { runInProcess } from '../support/tool.ts';
import { Tenant } from '../tenant.ts';
import { login, userOf } from '../users.setup.ts';

const PROGRAM = programOf('maintenance');
const OLD = 'the key that the database was started with';
const NEW = 'the key that replaces the old one from now on';
const BOTH = { SECRET_KEY: NEW, SECRET_KEY_FALLBACK: OLD };
const REFUSED = /^The secret key is not the one that this database was encrypted with/;

const reencrypted = (kept: KeptDatabase, ...options: string[]) =>
  runInProcess(maintain, ['reencrypt', ...options], { ...kept.settings, ...BOTH });
const startWith = (kept: KeptDatabase, keys: Record<string, string>) => start({ ...kept.settings, ...keys });

interface Created {
  tenant: Tenant;
  email: string;
  webhook: { id: string; secret: string };
  backupCodes: string[];
  user: { email: string };
  client: TestClient;
  /** Refresh tokens; each of them can be used once. */
  refreshTokens: string[];
}

/** Creates a database with every kind of encrypted or hashed secret. */
async function withSecrets(database?: KeptDatabase): Promise<{ kept: KeptDatabase; created: Created }> {
  // tokens are valid only at the origin that issued them, so the port must not change
  const made = database ?? (await keptDatabase({ SECRET_KEY: OLD }));
  const kept = { ...made, settings: { ...made.settings, PORT: String(await lastingPort()) } };
  const platform = await startWith(kept, { SECRET_KEY: OLD });
  const tenant = await platform.organization({ plan: 'custom' });
  const created = await onRig(platform, async () => {
    const history = await createHistory(tenant, 'Before');
    const { user, backupCodes } = await enrolled(tenant);
    await tenant.rest('POST', `/webhooks/${history.records.webhook_id}/rotate-secret`);
    const rotated = await tenant.rest('POST', `/auth/api-keys/${history.records.client_id}/rotate`, { body: { grace_period: 3600 } });
    expect(rotated.status, JSON.stringify(rotated.body)).toBe(200);
    const client = await registered(tenant, { is_confidential: false });
    const { refresh_token } = await tokensOf(await userOf(tenant), client);
    return { tenant, email: history.email, webhook: history.webhook, backupCodes, user, client, refreshTokens: [refresh_token] };
  });
  await platform.close();
  return { kept, created };
}

/** Checks that every encrypted or hashed secret can still be used. */
async function expectUsable(platform: Rig, { tenant, email, webhook, backupCodes, user, client, refreshTokens }: Created): Promise<void> {
  const caller = new Tenant(platform.origin, tenant.organizationId, tenant.apiKey);
  const { url, arrivals } = await receiver();
  await onRig(platform, async () => {
    expect((await login(caller, email)).status).toBe(200);
    const { body } = await login(caller, user.email);
    const present = new Tenant(platform.origin, '', body.data.access_token);
    expect(await verifyCode(present, await newChallenge(present), backupCodes.shift() ?? '')).toMatchObject({ status: 200 });
    const refreshed = await refresh(platform.origin, client, refreshTokens.shift() ?? '');
    expect(refreshed.status, JSON.stringify(refreshed.body)).toBe(200);
    refreshTokens.push(refreshed.body.refresh_token);
    const replayed = await caller.rest('POST', '/accounts', {
      body: { name: 'Before', email: 'replayed@example.com' },
      headers: { 'idempotency-key': 'Before once' },
    });
    expect(replayed.headers.get('idempotent-replayed'), JSON.stringify(replayed.body)).toBe('true');
    await caller.rest('PUT', `/webhooks/${webhook.id}`, { body: { url, events: ['ticket.created'] } });
    const { id } = await openTicket(caller);
    const arrival = await eventually(() => arrivals.find(({ text }) => text.includes(id)));
    expect(verified(webhook.secret, arrival.text, arrival.headers, platform.clock.now())).toMatchObject({ event: 'ticket.created' });
  });
}

/** The columns that contain text in SecretBox format, such as `events.webhook.sealed_secret`. */
async function sealedColumns(kept: KeptDatabase): Promise<string[]> {
  const columns = await kept.sql<{ schema: string; name: string; column: string }>(
    `select table_schema as schema, table_name as name, column_name as column from information_schema.columns join information_schema.tables
       using (table_schema, table_name) where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
       and data_type in ('text', 'jsonb', 'json', 'character varying')`,
  );
  const looksSealed = columns.map(
    ({ schema, name, column }) =>
      `select '${schema}.${name}.${column}' as place where exists (select from "${schema}"."${name}" where "${column}"::text ~ '\\mv1\\.[A-Za-z0-9_-]{38,}')`,
  );
  const found = await kept.sql<{ place: string }>(looksSealed.join(' union all '));
  return found.map(({ place }) => place);
}

test('npm run maintenance reencrypt re-encrypts every secret in the database with the new secret key', async () => {
  const { kept, created } = await withSecrets();

  const jobs = 'pgboss.job';
  const declared = [...SUBGRAPHS.flatMap(sealedPlacesOf), HASH_KEYS, KEY_CHECK].map(({ name }) => (name.startsWith(jobs) ? jobs : name));
  const found = (await sealedColumns(kept)).map((place) => (place.startsWith('pgboss.') ? jobs : place));
  expect([...new Set(found)].toSorted(), 'every sealed column is declared in a `sealed.ts`, and has a row in this test').toEqual(
    [...new Set(declared)].toSorted(),
  );

  const counted = await reencrypted(kept, '--dry-run');
  expect(counted).toMatchObject({ code: 0, stderr: '' });
  const count = Number(/^(\d+) secrets would be re-encrypted/m.exec(counted.stdout)?.[1]);
  expect(count).toBeGreaterThan(found.length);
  await kept.startedOnce({ SECRET_KEY: OLD });

  const done = await reencrypted(kept);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toContain(`${count} secrets were re-encrypted.`);
  expect((await reencrypted(kept)).stdout).toContain('0 secrets were re-encrypted.');
  expect(await refusalOf(startWith(kept, { SECRET_KEY: OLD }))).toMatch(REFUSED);

  const platform = await startWith(kept, { SECRET_KEY: NEW });
  await expectUsable(platform, created);
  await platform.close();
}, 300_000);

test('an interrupted npm run maintenance reencrypt can be continued, and until then the platform needs both secret keys', async () => {
  const { kept, created } = await withSecrets();
  const COUNT = 12_000;
  const box = new SecretBox([OLD], 'oauth-records');
  const rows = Array.from(
    { length: COUNT },
    (_, index) => `('Session', 'h${index}', '${box.seal('{}', `Session:h${index}`)}', now() + interval '1 day')`,
  );
  await kept.sql(`insert into "identity"."oauth_record" ("kind", "hash", "payload", "expires_at") values ${rows.join(', ')}`);

  const killed = new RunningProcess([PROGRAM, 'reencrypt'], { ...kept.settings, ...BOTH });
  await eventually(() => killed.stdout.includes('hash_key'));
  killed.kill('SIGKILL');
  expect(await killed.exited).toMatchObject({ code: null, signal: 'SIGKILL' });

  expect(await refusalOf(startWith(kept, { SECRET_KEY: NEW }))).toMatch(REFUSED);
  expect(await refusalOf(startWith(kept, { SECRET_KEY: OLD }))).toMatch(REFUSED);
  const between = await startWith(kept, BOTH);
  await expectUsable(between, created);
  await between.close();

  const resumed = await reencrypted(kept);
  expect([resumed.code, resumed.stderr]).toEqual([0, '']);
  const left = Number(/^(\d+) secrets were re-encrypted/m.exec(resumed.stdout)?.[1]);
  expect(left).toBeGreaterThan(0);
  const platform = await startWith(kept, { SECRET_KEY: NEW });
  await expectUsable(platform, created);
  await platform.close();
}, 300_000);

test.runIf(process.env.TEST_DATABASE_URL)(
  'an interrupted npm run maintenance reencrypt of two databases can be continued, and until then the platform needs both secret keys',
  async () => {
    const databases = await twoDatabases(['support', 'events']);
    const { kept, created } = await withSecrets(databases);
    const COUNT = 12_000;
    const box = new SecretBox([OLD], 'events.webhook-secret');
    const rows = Array.from({ length: COUNT }, (_, index) => `('wh_${index}', '${box.seal('whsec', `wh_${index}`)}')`);
    await databases.others(
      `insert into "events"."webhook" ("id", "organization_id", "url", "events", "sealed_secret", "created_at", "updated_at")
         select v.id, 'org_many', 'http://127.0.0.1:9', '[]', v.sealed, now(), now() from (values ${rows.join(', ')}) v (id, sealed)`,
    );
    const keysRead = (text: string): number => text.match(/hash_key/g)?.length ?? 0;

    const killed = new RunningProcess([PROGRAM, 'reencrypt'], { ...kept.settings, ...BOTH });
    await eventually(() => keysRead(killed.stdout) === 2);
    killed.kill('SIGKILL');
    expect(await killed.exited).toMatchObject({ code: null, signal: 'SIGKILL' });

    expect(await refusalOf(startWith(kept, { SECRET_KEY: NEW }))).toMatch(REFUSED);
    expect(await refusalOf(startWith(kept, { SECRET_KEY: OLD }))).toMatch(REFUSED);
    const between = await startWith(kept, BOTH);
    await expectUsable(between, created);
    await between.close();

    const resumed = await reencrypted(kept);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    expect(Number(/^(\d+) secrets were re-encrypted/m.exec(resumed.stdout)?.[1])).toBeGreaterThan(0);
    expect((await reencrypted(kept)).stdout).toContain('0 secrets were re-encrypted.');
    const platform = await startWith(kept, { SECRET_KEY: NEW });
    await expectUsable(platform, created);
    await platform.close();
  },
  300_000,
);

test('npm run maintenance reencrypt lists secrets that neither key can decrypt, re-encrypts all others and exits with 1', async () => {
  const kept = await keptDatabase({ SECRET_KEY: OLD });
  const platform = await startWith(kept, { SECRET_KEY: OLD });
  const tenant = await platform.organization();
  const { body } = await tenant.rest('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['invoice.overdue'] } });
  await platform.close();
  await kept.sql(`update "events"."webhook" set "sealed_secret" = 'v1.AAAA'`);
  const { code, stdout } = await reencrypted(kept);
  expect([code, stdout]).toEqual([1, expect.stringContaining(`events.webhook.sealed_secret ${body.data.id}`)]);
  await kept.startedOnce({ SECRET_KEY: NEW });
}, 120_000);

test('npm run maintenance reencrypt replaces the key file of a data folder, also after an interrupted run', async () => {
  const dataDir = temporaryFolder();
  const settings = { DATABASE_URL: '', DATA_DIR: dataDir, SECRET_KEY: '' };
  const file = join(dataDir, 'secret.key');
  const keyed = () => readFileSync(file, 'utf8').trim();
  const first = await start(settings);
  const tenant = await first.organization();
  await first.close();
  const run = (...options: string[]) => runInProcess(maintain, ['reencrypt', ...options, '--data', dataDir], {});
  const before = keyed();

  expect(await run('--dry-run')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[1-9]\d* secrets would be/m) });
  expect(keyed()).toBe(before);
  const [begun] = replaceKeptSecretKey(dataDir);
  const between = await start(settings);
  expect((await new Tenant(between.origin, '', tenant.apiKey).rest('GET', '/auth/verify')).status).toBe(200);
  await between.close();

  expect(await run()).toMatchObject({ code: 0, stderr: '' });
  expect([keyed(), existsSync(`${file}.fallback`)]).toEqual([begun, false]);
  await (await start(settings)).close();
  expect(await run()).toMatchObject({ code: 0, stderr: '' });
  expect(keyed()).not.toBe(begun);
  await (await start(settings)).close();
}, 120_000);
