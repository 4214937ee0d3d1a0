import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Attached, Database, type EntityManager } from '../../kernel/database/database.ts';
import { type Notification, notificationOf, notify } from '../../kernel/database/notifier.ts';
import { OUTBOX_CHANNEL, record } from '../../kernel/events/outbox.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { newId } from '../../kernel/records/ids.ts';
import { outboxNotification } from '../../subgraphs/support/migrations/0023-outbox-notification.ts';
import { migrations } from '../../subgraphs/support/migrations/index.ts';
import { ticketCreated } from '../../subgraphs/support/tickets/ticket.events.ts';
import { eventually } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const log = createLogger({ level: 'silent' });
let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let database: Database;
let store: Attached;
let support: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(log);
  database = opened.database;
  const tables = migration('0001', ['create table "notices"."letter" ("id" int primary key)']);
  store = await database.attach({ schema: 'notices', entities: [], migrations: [tables] });
  support = await database.attach({ schema: 'support', entities: [], migrations });
});
afterAll(() => opened.drop());

let channels = 0;

/** Listens to a new channel. `received` contains the payloads of its notifications. */
async function channel(on = database): Promise<{ name: string; received: string[] }> {
  channels += 1;
  const name = `notices_${channels}`;
  const received: string[] = [];
  await on.listen(name, (payload) => void received.push(payload));
  return { name, received };
}

const within = (act: (tx: EntityManager) => Promise<void>, { orm } = store): Promise<void> => orm.em.fork().transactional(act);
const write = (tx: EntityManager, id: number) => tx.execute('insert into "notices"."letter" values (?)', [id]);
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

test('a notification of a transaction arrives after the commit', async () => {
  const { name, received } = await channel();
  let beforeCommit: string[] | undefined;
  await within(async (tx) => {
    await write(tx, 1);
    await notify(tx, { channel: name, payload: `it's here` });
    await tx.execute('select 1');
    await settled();
    beforeCommit = [...received];
  });
  await eventually(() => received.length > 0);
  expect([beforeCommit, received]).toEqual([[], [`it's here`]]);
});

test('a transaction that only notifies sends its notification', async () => {
  const { name, received } = await channel();
  await within((tx) => notify(tx, { channel: name, payload: 'alone' }));
  await eventually(() => received.length > 0);
  expect(received).toEqual(['alone']);
});

test('equal notifications of a transaction arrive as one', async () => {
  const { name, received } = await channel();
  await within(async (tx) => {
    for (const payload of ['equal', 'other', 'equal']) await notify(tx, { channel: name, payload });
  });
  await eventually(() => received.length > 1);
  await settled();
  expect(received).toEqual(['equal', 'other']);
});

test('a transaction that fails, also at its COMMIT, notifies nobody', async () => {
  const { name, received } = await channel();
  const refused = (end: (tx: EntityManager) => Promise<unknown>): Promise<void> =>
    within(async (tx) => {
      await write(tx, 2);
      await notify(tx, { channel: name, payload: 'refused' });
      await end(tx);
    });
  await expect(refused(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
  // on PostgreSQL, the second insert is sent with COMMIT, which therefore fails
  await expect(refused((tx) => write(tx, 2))).rejects.toThrow('duplicate key');
  await settled();
  expect(received).toEqual([]);
});

test('a hundred equal notifications that are sent at once arrive as one, and different ones arrive all', async () => {
  const { name, received } = await channel();
  for (let times = 0; times < 100; times += 1) database.notify({ channel: name, payload: 'equal' });
  for (const payload of ['a', 'b', 'c']) database.notify({ channel: name, payload });
  await eventually(() => received.includes('c'));
  await settled();
  expect(received).toEqual(['equal', 'a', 'b', 'c']);
});

test('recording an event notifies the relay once, with the name of the schema', async () => {
  const received: string[] = [];
  await database.listen(OUTBOX_CHANNEL, (payload) => void received.push(payload));
  const { type } = ticketCreated;
  const event = { type, organizationId: newId('organization'), occurredAt: new Date(), data: type.example };
  await within((tx) => record(tx, { ...event, subject: { type: 'Ticket', id: 'one' } }), support);
  await eventually(() => received.length > 0);
  await settled();
  expect(received).toEqual(['support']);
});

test('no trigger of the outbox notifies within the transaction', async () => {
  expect(migrations.at(-1)).toBe(outboxNotification);
  const functions = await support.rows.query(`select 1 from pg_proc where proname = 'notify_outbox'`, []);
  const triggers = await support.rows.query(`select 1 from pg_trigger where tgname = 'outbox_notify'`, []);
  expect([...functions, ...triggers]).toEqual([]);
});

test('a job that is due immediately runs immediately, and one that is due later is not notified', async () => {
  const jobs = new Jobs(database, log);
  const done: string[] = [];
  jobs.define<{ name: string }>('notices.job', async ({ name }) => void done.push(name), {});
  const listened: string[] = [];
  const listen = database.listen.bind(database);
  database.listen = (name, callback) =>
    listen(name, (payload) => {
      listened.push(payload);
      callback(payload);
    });
  await jobs.start();
  onTestFinished(() => jobs.stop());
  const enqueue = (name: string, startAfter?: Date) =>
    within((tx) => jobs.enqueue(tx, 'notices.job', { name }, startAfter === undefined ? {} : { startAfter }));
  await enqueue('in an hour', new Date(Date.now() + 3_600_000));
  await settled();
  expect(listened).toEqual([]);
  await enqueue('now');
  await enqueue('at a past time', new Date(Date.now() - 1000));
  await eventually(() => done.length === 2);
  expect(done.toSorted()).toEqual(['at a past time', 'now']);
  expect(new Set(listened)).toEqual(new Set(['notices.job']));
});

describe.runIf(process.env.TEST_DATABASE_URL)('notifications on a server', () => {
  test('a notification is not part of the transaction, and reaches other processes', async () => {
    const other = await Database.open(database.target, log);
    onTestFinished(() => other.close());
    const { name, received } = await channel(other);
    const sent: string[] = [];
    database.onRoundTrip = (batch) => void sent.push(...batch);
    await within(async (tx) => {
      await write(tx, 3);
      await notify(tx, { channel: name, payload: 'over there' });
    });
    database.onRoundTrip = undefined;
    await eventually(() => received.length > 0);
    expect(received).toEqual(['over there']);
    expect(sent.filter((sql) => sql.includes('notify'))).toEqual([]);
  });

  test('after the listening connection was lost, notifications arrive again', async () => {
    const { name, received } = await channel();
    await store.rows.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and (query ilike 'listen%' or query ilike '%pg_notify(n.%' or query ilike '%synchronous_commit = off%')`,
      [],
    );
    await eventually(() => {
      database.notify({ channel: name, payload: 'back' });
      return received.includes('back');
    });
  });

  test('closing the database also ends a connection that a notification is opening, and later notifications open no connection', async () => {
    const url = database.directUrl as string;
    const proxy = await DatabaseProxy.start(url);
    const closing = await Database.open({ url, directUrl: proxy.url }, log);
    await eventually(() => proxy.connections === 0);
    proxy.freeze();
    closing.notify({ channel: 'closing', payload: '' });
    await eventually(() => proxy.connections === 1);
    const closed = closing.close();
    proxy.thaw();
    await closed;
    await eventually(() => proxy.connections === 0);
    closing.notify({ channel: 'closing', payload: 'late' });
    await settled();
    expect(proxy.connections).toBe(0);
  });
});

test('the text of a notification is read as it was written, and other statements are no notifications', () => {
  const built: string[] = [];
  const tx = { execute: async (sql: string) => void built.push(sql) } as unknown as EntityManager;
  const all: Notification[] = [
    { channel: 'a', payload: '' },
    { channel: `it's`, payload: `''` },
    { channel: 'x', payload: `', 'y` },
    { channel: 'x', payload: `y'); select pg_notify('x', 'z` },
  ];
  for (const one of all) void notify(tx, one);
  expect(built.map(notificationOf)).toEqual(all);
  for (const sql of [
    'select 1',
    `select pg_notify('a', 'b') where true`,
    `select pg_notify('a', 'b'); select 1`,
    `select pg_notify('a', $1)`,
  ])
    expect(notificationOf(sql)).toBeUndefined();
});
