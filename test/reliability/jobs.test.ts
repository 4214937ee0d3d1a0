import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Database, EntityManager } from '../../kernel/database/database.ts';
import { JobDatabase } from '../../kernel/jobs/database.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { eventually } from '../rig.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const log = createLogger({ level: 'silent' });
let database: Database;
let drop: () => Promise<void>;
let em: EntityManager;
beforeAll(async () => {
  ({ database, drop } = await emptyDatabase(log));
  em = (await database.attach({ schema: 'backlog', entities: [], migrations: [migration('0001', ['select 1'])] })).orm.em;
});
afterAll(() => drop());

const HOUR_MS = 3_600_000;

/** Starts a job queue with one handler. `later` enqueues a job for a future time, and `now` enqueues a job to run immediately. */
async function queueOf(name: string, handle: (index: number) => Promise<void>, concurrency: number) {
  const jobs = new Jobs(database, log);
  jobs.define<{ index: number }>(name, ({ index }) => handle(index), { concurrency });
  await jobs.start();
  onTestFinished(() => jobs.stop());
  return {
    jobs,
    later: (index: number, startAfter: Date) => em.fork().transactional((tx) => jobs.enqueue(tx, name, { index }, { startAfter })),
    now: (index: number, tx: EntityManager) => jobs.enqueue(tx, name, { index }),
  };
}
const soon = () => new Date(Date.now() + 1000);

test('forty jobs that become due together are completed in less time than forty polls take', async () => {
  const done: number[] = [];
  const { jobs, later } = await queueOf('test.backlog', async (index) => void done.push(index), 1);
  const startAfter = new Date(Date.now() + HOUR_MS);
  for (let index = 0; index < 40; index += 1) await later(index, startAfter);
  await jobs.shiftClock(HOUR_MS + 100_000);
  // with one poll per job this would take 40 s
  await eventually(() => done.length === 40, 30_000);
  expect(new Set(done).size).toBe(40);
  await jobs.shiftClock(0);
});

test('a scheduled job starts when it is due, even if another job of its queue is still running', async () => {
  const done: number[] = [];
  let end = () => {};
  const long = new Promise<void>((resolve) => (end = resolve));
  const { later } = await queueOf('test.later', async (index) => (index === 0 ? long : void done.push(index)), 2);
  await later(0, soon());
  await later(1, soon());
  await eventually(() => done.includes(1), 10_000);
  await later(2, soon());
  await eventually(() => done.includes(2), 10_000);
  end();
});

test('starting the job system creates missing queues, updates queues whose settings differ, and does not write other queues', async () => {
  const boss = new PgBoss({ db: new JobDatabase(database, () => undefined, log), schema: 'pgboss', migrate: false });
  const start = async (retryLimit: number) => {
    const jobs = new Jobs(database, log);
    for (const name of ['test.stated', 'test.unchanged'])
      jobs.define(name, async () => undefined, { retryLimit: name === 'test.stated' ? retryLimit : 5 });
    await jobs.start();
    await jobs.stop();
    const found = await boss.getQueues(['test.stated', 'test.unchanged']);
    return Object.fromEntries(
      found.map(({ name, retryLimit: limit, updatedOn }) => [name, { limit, updatedOn: new Date(updatedOn).getTime() }]),
    );
  };
  const first = await start(7);
  expect(first['test.stated']?.limit).toBe(7);
  expect(await start(7)).toEqual(first);
  const changed = await start(9);
  expect(changed['test.stated']?.limit).toBe(9);
  expect(changed['test.unchanged']).toEqual(first['test.unchanged']);
});

test('jobs that become due together run concurrently up to the concurrency limit of their queue', async () => {
  let running = 0;
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const { later } = await queueOf(
    'test.together',
    async () => {
      running += 1;
      await held;
    },
    3,
  );
  const startAfter = soon();
  for (let index = 0; index < 5; index += 1) await later(index, startAfter);
  await eventually(() => running === 3, 10_000);
  end();
  await eventually(() => running === 5, 10_000);
});

test('a job that is due immediately notifies its queue when its transaction commits, and a scheduled job does not', async () => {
  const notified: string[] = [];
  const db = new JobDatabase(database, (queue) => notified.push(queue), log);
  const listener = new PgBoss({ db, schema: 'pgboss', useListenNotify: true, ...(database.pglite && { backend: 'pglite' }) });
  listener.on('error', () => undefined);
  await listener.start();
  onTestFinished(async () => {
    await listener.stop();
    await db.close();
  });
  const { later, now } = await queueOf('test.notified', async () => undefined, 2);
  await later(0, new Date(Date.now() + HOUR_MS));
  await em.fork().transactional(async (tx) => {
    await now(1, tx);
    await now(2, tx);
    expect(notified).toEqual([]);
  });
  await eventually(() => notified.length > 0);
  // one notification for all jobs of a transaction, because the worker that fetches a job wakes the next worker
  expect(notified).toEqual(['test.notified']);
});

test('a job that fails stays in the queue for a year', async () => {
  let failures = 0;
  const fail = async () => {
    failures += 1;
    throw new Error('The cause is not removed yet.');
  };
  const { now } = await queueOf('test.kept', fail, 1);
  await em.fork().transactional((tx) => now(0, tx));
  await eventually(() => failures > 0, 10_000);
  const kept = `select extract(day from keep_until - created_on)::int as days from pgboss.job where name = 'test.kept'`;
  expect(await em.fork().execute(kept)).toEqual([{ days: 365 }]);
});

test('an enqueued job has the same columns as a job that pg-boss sends', async () => {
  const { jobs } = await queueOf('test.columns', async () => undefined, 1);
  const boss = new PgBoss({ db: new JobDatabase(database, () => undefined, log), schema: 'pgboss', migrate: false });
  const startAfter = new Date(Date.now() + HOUR_MS);
  const data = { text: `it's \\ "quoted", returning ?` };
  await em.fork().transactional((tx) => jobs.enqueue(tx, 'test.columns', data, { startAfter }));
  await boss.send('test.columns', data, { startAfter });
  const columns = `select to_jsonb(j) - 'id' - 'created_on' as job from pgboss.job j where name = 'test.columns' order by created_on`;
  const [own, sent] = await em.fork().execute<{ job: { data: object } }[]>(columns);
  expect(own?.job.data).toEqual(data);
  expect(own).toEqual(sent);
});
