import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { type Attached, Database } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import type { WorkSource } from '../../kernel/work/work-poller.ts';
import { eventually } from '../rig.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const HOUR_MS = 3_600_000;
const onServer = Boolean(process.env.TEST_DATABASE_URL);

const logged: string[] = [];
const log = createLogger({ level: 'error', destination: { write: (line) => void logged.push(line) } });
const tables = migration('0001-work', [
  'create table "work_test"."parcel" ("id" text primary key, "due_at" timestamptz(3) null)',
  'create table "work_test"."letter" ("id" text primary key)',
]);

let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let database: Database;
let attached: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(log);
  database = opened.database;
  attached = await database.attach({ schema: 'work_test', entities: [], migrations: [tables] });
});
afterAll(() => opened.drop());
beforeEach(async () => {
  logged.length = 0;
  await run('truncate "work_test"."parcel", "work_test"."letter"');
});

const run = (text: string, ...values: unknown[]): Promise<object[]> => attached.rows.query(text, values);

/** Adds a work source to the poller and collects its results. */
function poll(source: Omit<WorkSource, 'found'>): { found: string[]; stop(): void } {
  const found: string[] = [];
  const stop = database.poller.add({ ...source, found: (rows) => void found.push(...rows) });
  onTestFinished(stop);
  return { found, stop };
}
const letters = { name: 'letters', query: 'select "id" from "work_test"."letter" order by "id" limit 10' };
const parcelsAt = (clock: TestClock) => ({
  name: 'parcels',
  query: 'select "id" from "work_test"."parcel" where "due_at" <= $1 and "due_at" > $2',
  values: () => [clock.now(), new Date(0)],
});

test('a work source receives only the rows that its own query returns, and no rows after it is removed from the poller', async () => {
  const clock = new TestClock();
  const [parcels, mail, none] = [poll(parcelsAt(clock)), poll(letters), poll({ ...letters, query: `${letters.query} offset 5` })];
  await run(`insert into "work_test"."letter" values ('a'), ('b')`);
  await run(`insert into "work_test"."parcel" values ('early', $1), ('late', $2)`, clock.now(), new Date(clock.now().getTime() + HOUR_MS));
  await eventually(() => mail.found.length > 0 && parcels.found.length > 0);
  expect(new Set(mail.found)).toEqual(new Set(['a', 'b']));
  expect(new Set(parcels.found)).toEqual(new Set(['early']));
  expect(none.found).toEqual([]);

  mail.stop();
  mail.found.length = parcels.found.length = 0;
  await eventually(() => parcels.found.length > 1);
  expect(mail.found).toEqual([]);
});

test('after the clock of a work source is moved, the poller queries the source with the new time', async () => {
  const clock = new TestClock();
  const parcels = poll({ ...parcelsAt(clock), clock });
  await run(`insert into "work_test"."parcel" values ('late', $1)`, new Date(clock.now().getTime() + HOUR_MS));
  clock.advance(2 * HOUR_MS);
  await eventually(() => parcels.found.includes('late'), 10_000);
});

test('a work source whose query fails is logged by name, and other work sources are still polled', async () => {
  const broken = poll({ name: 'the broken one', query: 'select "id" from "work_test"."nowhere"' });
  const mail = poll(letters);
  await run(`insert into "work_test"."letter" values ('a')`);
  await eventually(() => mail.found.length > 0);
  expect(broken.found).toEqual([]);
  expect(logged.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ source: 'the broken one' }));
  expect(logged.map((line) => JSON.parse(line).source)).not.toContain('letters');
});

test.runIf(onServer)('while the table of one work source is locked, other work sources are still polled', async () => {
  const parcels = poll(parcelsAt(new TestClock()));
  const mail = poll(letters);
  await run(`insert into "work_test"."letter" values ('a')`);
  await run(`insert into "work_test"."parcel" values ('early', now())`);
  await eventually(() => parcels.found.length > 0);
  await attached.orm.em.fork().transactional(async (tx) => {
    await tx.execute('lock table "work_test"."parcel" in access exclusive mode');
    mail.found.length = parcels.found.length = 0;
    await eventually(() => mail.found.length > 1);
    expect(parcels.found).toEqual([]);
  });
  await eventually(() => parcels.found.length > 0);
});

test.runIf(onServer)('polling and notifications continue after PostgreSQL has terminated their connections', async () => {
  const mail = poll(letters);
  const payloads: string[] = [];
  await database.listen('work_test', (payload) => void payloads.push(payload));
  await run(`insert into "work_test"."letter" values ('a')`);
  await eventually(() => mail.found.length > 0);

  const { url } = database.target as { url: string };
  const killer = new pg.Client({ connectionString: url });
  await killer.connect();
  onTestFinished(() => killer.end());
  const { rowCount } = await killer.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and (query ilike 'listen%' or query ilike '%work_test"."letter" order by%')`,
  );
  expect(rowCount).toBeGreaterThan(0);
  mail.found.length = 0;
  // after a reconnection listeners receive an empty payload
  await eventually(() => mail.found.length > 0 && payloads.includes(''));
  await killer.query(`select pg_notify('work_test', 'again')`);
  await eventually(() => payloads.includes('again'));
});

/** A work source that returns the server process id of the polling connection. */
const served = { name: 'served', query: 'select pg_backend_pid()' };

test.runIf(onServer)('the poller of a process that was blocked for seconds keeps its database connection', async () => {
  const before = poll(served);
  const [pid] = await eventually(() => before.found.length > 0 && before.found);
  database.poller.pollNow();
  // blocks the event loop, as an overloaded machine can do
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_000);
  before.found.length = 0;
  await eventually(() => before.found.length > 0);
  expect(new Set(before.found)).toEqual(new Set([pid]));
});

test.runIf(onServer)('the poller replaces a connection that no longer transfers data', async () => {
  const { url } = database.target as { url: string };
  const [target, through] = [new URL(url), new URL(url)];
  const held: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    held.push(socket, upstream);
    socket.on('error', () => undefined).pipe(upstream);
    upstream.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const far = await Database.open({ url: through.href }, log);
  onTestFinished(async () => {
    await far.close();
    for (const socket of held) socket.destroy();
    proxy.close();
  });
  const found: string[] = [];
  onTestFinished(far.poller.add({ ...served, found: (rows) => void found.push(...rows) }));
  const [pid] = await eventually(() => found.length > 0 && found);
  // stops all transfer without closing the connection
  for (const socket of held) socket.unpipe().pause();
  held.length = 0;
  await eventually(() => found.some((one) => one !== pid), 40_000);
});
