import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { newId } from '../../kernel/records/ids.ts';
import { SUBGRAPHS } from '../../kernel/settings/data.ts';
import { deleteExpired } from '../../kernel/work/retention.ts';
import { rig, start } from '../rig.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { rows, tables } from '../support/tables.ts';

const DAY_MS = 86_400_000;
const onServer = Boolean(process.env.TEST_DATABASE_URL);

const things = migration('0001-things', [
  'create table "retention_test"."thing" ("id" int primary key, "created_at" timestamptz(3) not null)',
]);
let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let own: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(createLogger({ level: 'silent' }));
  own = await opened.database.attach({ schema: 'retention_test', entities: [], migrations: [things] });
});
afterAll(() => opened.drop());

const fill = async (count: number): Promise<void> => {
  await own.rows.query('truncate "retention_test"."thing"', []);
  await own.rows.query(`insert into "retention_test"."thing" select n, now() - interval '2 days' from generate_series(1, $1::int) n`, [
    count,
  ]);
  await own.rows.query(`insert into "retention_test"."thing" values (0, now())`, []);
};
const left = async (): Promise<number> =>
  (await own.rows.query<{ count: number }>('select count(*)::int as count from "retention_test"."thing"', []))[0]?.count ?? 0;
const OLD = { table: 'retention_test.thing', where: '"created_at" < $1', values: [new Date(Date.now() - DAY_MS)] };

/** Wraps a query function so that it counts its statements. `after` runs after each statement. */
const counted = (after: (count: number) => void = () => undefined) => {
  const seen = { count: 0 };
  const query: typeof own.rows.query = async (text, values) => {
    const result = await own.rows.query(text, values);
    after(++seen.count);
    return result as never;
  };
  return { query, seen };
};

test('expired rows are deleted in batches of a thousand, and other rows are kept', async () => {
  await fill(2500);
  const { query, seen } = counted();
  expect(await deleteExpired({ query }, OLD)).toBe(2500);
  expect(seen.count).toBe(3);
  expect(await left()).toBe(1);
});

test('a deletion of expired rows ends after the current batch when its signal is aborted', async () => {
  await fill(2500);
  const stopping = new AbortController();
  const { query } = counted(() => stopping.abort());
  expect(await deleteExpired({ query }, OLD, stopping.signal)).toBe(1000);
  expect(await left()).toBe(1501);
});

test.runIf(onServer)('a deletion of expired rows skips locked rows, and the next deletion deletes them', async () => {
  await fill(10);
  await own.orm.em.fork().transactional(async (tx) => {
    await tx.execute('select 1 from "retention_test"."thing" where "id" = 3 for update');
    expect(await deleteExpired(own.rows, OLD)).toBe(9);
  });
  expect(await deleteExpired(own.rows, OLD)).toBe(1);
});

test.runIf(onServer)('an expired row that is renewed while it is being deleted is kept', async () => {
  await fill(1);
  const deleting = own.orm.em.fork().transactional(async (tx) => {
    await tx.execute(`update "retention_test"."thing" set "created_at" = now() where "id" = 1`);
    return deleteExpired(own.rows, OLD);
  });
  expect(await deleting).toBe(0);
  expect(await deleteExpired(own.rows, OLD)).toBe(0);
  expect(await left()).toBe(2);
});

test('concurrent deletions of expired rows delete each row once', async () => {
  await fill(5000);
  const counts = await Promise.all([deleteExpired(own.rows, OLD), deleteExpired(own.rows, OLD), deleteExpired(own.rows, OLD)]);
  const rest = await deleteExpired(own.rows, OLD);
  expect(counts.reduce((sum, count) => sum + count, rest)).toBe(5000);
  expect(await left()).toBe(1);
});

test('an inbox entry is deleted a week after its event has expired from the event log', async () => {
  const { assembly } = await rig();
  const all = await rows();
  const marker = newId('event');
  for (const schema of SUBGRAPHS)
    for (const [name, days] of Object.entries({ young: 36, old: 38 }))
      await all.query(
        `insert into "${schema}"."inbox" ("event_id", "reaction", "handled_at") values ($1, $2, now() - make_interval(days => $3::int))`,
        [marker, name, days],
      );
  await assembly.databases.inboxes.run();
  for (const schema of SUBGRAPHS)
    expect(await all.query(`select "reaction" from "${schema}"."inbox" where "event_id" = $1`, [marker]), schema).toEqual([
      { reaction: 'young' },
    ]);
});

test('audit records are deleted after AUDIT_RETENTION_DAYS and not earlier', async () => {
  // the deletion compares with the clock of the database, and other tests may have moved the clock of their platform
  const { assembly, clock, close } = await start({}, new TestClock());
  onTestFinished(close);
  const { rows: all } = await assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  const [young, old] = [newId('event'), newId('event')];
  for (const [id, days] of [[young, 399] as const, [old, 401] as const])
    await all.query(
      `insert into "identity"."audit_record" select (jsonb_populate_record(null::"identity"."audit_record",
         jsonb_build_object('id', $1::text, 'timestamp', $2::timestamptz, 'event_type', 'test', 'result', 'success', 'details', '{}'::jsonb, 'scopes', '[]'::jsonb))).*`,
      [id, new Date(clock.now().getTime() - days * DAY_MS)],
    );
  await assembly.domains.identity.core.retentionTask.run();
  expect(await all.query('select "id" from "identity"."audit_record" where "id" = any($1)', [[young, old]])).toEqual([{ id: young }]);
});

test('docs/operations.md states for every table how long its rows are kept', async () => {
  await rig();
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('| table | kept | deleted by |'));
  const named = [...section.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const isNamed = (table: string): boolean => named.includes(table) || named.includes(table.replace(/^\w+/, '*'));
  const present = new Set((await tables()).map((table) => table.replaceAll('"', '')));
  const unnamed = [...present].filter((table) => !table.startsWith('test_probe.') && !isNamed(table));
  expect(unnamed, 'Say in the table of docs/operations.md how long rows of these are kept, and who deletes them').toEqual([]);
  expect(named.filter((name) => name?.includes('.') && !name.startsWith('*.') && !present.has(name))).toEqual([]);
});
