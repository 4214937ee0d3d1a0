import { describe, expect, onTestFinished, test } from 'vitest';
import { receiver } from '../events/receiver.ts';
import { openTicket, verified } from '../events/webhooks.setup.ts';
import { createHistory } from '../releases/history.ts';
import { type Recording, type Release, releases, restore, SETTINGS, unpackFolder } from '../releases/release.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';
import { login } from '../users.setup.ts';

// without this, events of old recordings would expire before they are checked
const KEPT = { ...SETTINGS, EVENT_RETENTION_DAYS: '3650' };

const openEmbedded = async ({ name }: Release): Promise<Rig> => {
  const DATA_DIR = temporaryFolder();
  unpackFolder(name, 'embedded', DATA_DIR);
  return closedAfterTest(await start({ ...KEPT, DATABASE_URL: '', SECRET_KEY: '', DATA_DIR }));
};

const openPostgres = async ({ name, postgres }: Release): Promise<Rig> => {
  const DATABASE_URL = await ownDatabase();
  if (!DATABASE_URL) throw new Error('There is no PostgreSQL server.');
  await restore(name, DATABASE_URL);
  const DATA_DIR = temporaryFolder();
  unpackFolder(name, 'postgres', DATA_DIR);
  return closedAfterTest(await start({ ...KEPT, DATABASE_URL, SECRET_KEY: postgres.secretKey, DATA_DIR }));
};

const closedAfterTest = (platform: Rig): Rig => {
  onTestFinished(() => platform.close());
  return platform;
};

const onServer = Boolean(process.env.TEST_DATABASE_URL);

describe.each(releases().map((release) => [release.name, release] as const))('a database of release %s', (_, release) => {
  // npm test runs it; with a server, it would be the same test
  test.skipIf(onServer)(
    'the platform can use all recorded data in an embedded database of an earlier release',
    async () => {
      await expectServed(await openEmbedded(release), release.embedded);
    },
    300_000,
  );

  test.runIf(onServer)(
    'the platform can use all recorded data in a PostgreSQL database of an earlier release',
    async () => {
      await expectServed(await openPostgres(release), release.postgres);
    },
    120_000,
  );
});

async function expectServed(platform: Rig, recorded: Recording): Promise<void> {
  const tenant = new Tenant(platform.origin, recorded.organizationId, recorded.apiKey);
  expect((await fetch(`${platform.origin}/readyz`)).status).toBe(200);
  await expectReadable(tenant, recorded);
  // the password and the webhook secret can be used, so that stored secrets can be decrypted
  expect((await login(tenant, recorded.email)).status).toBe(200);
  await expectSigned(platform, tenant, recorded);
  await onRig(platform, () => createHistory(tenant, 'After the upgrade'));
}

async function expectReadable(tenant: Tenant, { readable, records }: Recording): Promise<void> {
  const refused = [];
  for (const path of readable) {
    const { status, body } = await tenant.rest('GET', path);
    if (status !== 200) refused.push([path, status, body]);
  }
  expect(refused).toEqual([]);
  const { data } = await tenant.graphql('query($id: ID!) { event(id: $id) { id } }', { id: records.event_id });
  expect(data).toEqual({ event: { id: records.event_id } });
}

async function expectSigned({ clock }: Rig, tenant: Tenant, { webhook }: Recording): Promise<void> {
  const { url, arrivals } = await receiver();
  const changed = await tenant.rest('PUT', `/webhooks/${webhook.id}`, { body: { url, events: ['ticket.created'] } });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  const { id } = await openTicket(tenant);
  const arrival = await eventually(() => arrivals.find(({ text }) => text.includes(id)));
  expect(verified(webhook.secret, arrival.text, arrival.headers, clock.now())).toMatchObject({ event: 'ticket.created' });
}
