import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { receiver } from '../events/receiver.ts';
import { openTicket, subscribe, verified } from '../events/webhooks.setup.ts';
import { download, file, PNG } from '../rest/attachments.setup.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type Json, Tenant } from '../tenant.ts';
import { PASSWORD } from '../users.setup.ts';

const run = promisify(execFile);
const onServer = Boolean(process.env.TEST_DATABASE_URL);

/** The database and the data folder of a platform. Every platform in these tests has its own. */
interface Place {
  databaseUrl: string | undefined;
  dataDir: string;
}

const openedIn = async ({ databaseUrl, dataDir }: Place): Promise<Rig> => {
  // the embedded platform stores its secret key in the data folder, so that the backup contains it
  const platform = await start({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...(!onServer && { SECRET_KEY: undefined }) });
  onTestFinished(() => platform.close());
  return platform;
};

const emptyPlace = async (): Promise<Place> => ({ databaseUrl: await ownDatabase(), dataDir: join(scratchFolder(), 'data') });

/**
 * Backs up a platform and restores the backup to a new place, as docs/operations.md describes. On PostgreSQL the platform keeps running:
 * first the database is dumped, after that `meanwhile` is called, and finally the files are copied. An embedded platform is stopped before
 * its data folder is copied, and `meanwhile` is not called.
 */
async function backedUp(from: Place, platform: Rig, meanwhile: () => Promise<unknown>): Promise<Place> {
  const backup = scratchFolder();
  const to = await emptyPlace();
  if (from.databaseUrl && to.databaseUrl) {
    const dump = join(backup, 'platform.dump');
    await run('pg_dump', ['--format=custom', '--file', dump, from.databaseUrl]);
    await meanwhile();
    cpSync(join(from.dataDir, 'files'), join(to.dataDir, 'files'), { recursive: true });
    await platform.close();
    await run('pg_restore', ['--no-owner', '--exit-on-error', '--dbname', to.databaseUrl, dump]);
  } else {
    await platform.close();
    cpSync(from.dataDir, join(backup, 'data'), { recursive: true, preserveTimestamps: true });
    cpSync(join(backup, 'data'), to.dataDir, { recursive: true });
  }
  // so that the restored platform cannot use the old data folder
  rmSync(from.dataDir, { recursive: true });
  return to;
}

/** Invites a user, sets a password with the link in the invitation email, and returns the user's email address. */
async function userOf(platform: Rig, tenant: Tenant): Promise<string> {
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Backup', email: 'it@example.com' } })).body.data;
  const email = 'grace@backup.example';
  await tenant.rest('POST', `/accounts/${account.id}/users`, { body: { email, name: 'Grace', role: 'member', accounts: null } });
  const mail = await eventually(() => platform.mails.find(({ to }) => to === email));
  const token = /token=([\w-]+)/.exec(mail.text)?.[1];
  await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
  return email;
}

/** The first event that a subscriber receives after the event with the id `after`. */
async function nextEvent(tenant: Tenant, after: string): Promise<Json> {
  const client = tenant.socket();
  onTestFinished(() => client.dispose());
  const query = 'subscription ($after: ID) { events(patterns: ["ticket.created"], after: $after) { id event } }';
  for await (const { data } of client.iterate<Json>({ query, variables: { after } })) return data?.events;
}

test('a platform restored from a backup has its keys, logins, files, events and pending deliveries', async () => {
  const place = await emptyPlace();
  const old = await openedIn(place);
  const before = await old.organization({ plan: 'custom' });
  const email = await userOf(old, before);
  const [delivered, away] = [await receiver(), await receiver((response) => void response.writeHead(500).end())];
  const secrets = {
    delivered: (await subscribe(before, { url: delivered.url, events: ['ticket.*'] })).secret as string,
    away: (await subscribe(before, { url: away.url, events: ['ticket.created'] })).secret as string,
  };
  const attachments = [file('light.png', 'image/png', PNG)];
  const opened = (await before.rest('POST', '/support/tickets', { body: { title: 'No light', description: 'At all.', attachments } })).body;
  const [attachment] = opened.ticket.attachments;
  await eventually(() => delivered.arrivals.length === 1 && away.arrivals.length === 1);
  const [first] = delivered.arrivals;

  const restored = await openedIn(
    // changes that are made while the files are copied are not in the database backup
    await backedUp(place, old, () => openTicket(before)),
  );
  const after = new Tenant(restored.origin, before.organizationId, before.apiKey);

  const read = await after.rest('GET', `/support/tickets/${opened.ticket.id}`);
  expect(read.body.ticket).toMatchObject({ title: 'No light', number: opened.ticket.number });
  expect(Buffer.from(await (await download(after, attachment.id)).arrayBuffer())).toEqual(PNG);
  const login = await after.rest('POST', '/auth/login', { body: { email, password: PASSWORD }, headers: { authorization: '' } });
  expect(login.status).toBe(200);
  const asUser = new Tenant(restored.origin, before.organizationId, login.body.data.access_token);
  expect((await asUser.rest('GET', `/support/tickets/${opened.ticket.id}`)).status).toBe(200);

  // delivered events are not sent again; pending events are sent, signed with the secret from before the backup
  away.respond((response) => response.end());
  restored.clock.advance(3_600_000);
  await eventually(() => away.arrivals.length >= 2 && away.arrivals.at(-1)?.event.id === first?.event.id);
  const { text, headers } = away.arrivals.at(-1) ?? { text: '', headers: {} };
  expect(verified(secrets.away, text, headers, new Date(Number((headers as Json)['webhook-timestamp']) * 1000))).toBeTruthy();
  const known = delivered.arrivals.length;

  const next = await openTicket(after);
  await eventually(() => delivered.arrivals.length > known);
  expect(delivered.arrivals.slice(known).map(({ event }) => event.event)).toEqual(['ticket.created']);
  expect(delivered.arrivals.filter(({ event }) => event.id === first?.event.id)).toHaveLength(1);
  expect(
    verified(secrets.delivered, delivered.arrivals.at(-1)?.text ?? '', delivered.arrivals.at(-1)?.headers ?? {}, restored.clock.now()),
  ).toBeTruthy();
  expect(next.id).not.toBe(opened.ticket.id);

  // an event id from before the backup can still be used to resume
  expect(await nextEvent(after, first?.event.id)).toMatchObject({ event: 'ticket.created' });
}, 180_000);
