import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { type DoDue, type DueRows, sweepOf } from '../../kernel/records/due.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const HOUR_MS = 3_600_000;

const logged: string[] = [];
const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
const clock = new TestClock();

const BILLS = { name: 'test.bills', table: 'due_test.bill', column: 'due_at', postponeMs: HOUR_MS } as const;
const tables = migration('0001-due', [
  'create table "due_test"."account" ("id" text primary key)',
  'create table "due_test"."bill" ("id" text primary key, "organization_id" text, "account_id" text, "sent" int default 0, "due_at" timestamptz(3))',
]);
let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let attached: Attached;
beforeAll(async () => {
  opened = await emptyDatabase(log);
  attached = await opened.database.attach({ schema: 'due_test', entities: [], migrations: [tables] });
});
afterAll(() => opened.drop());
beforeEach(async () => {
  logged.length = 0;
  await attached.rows.query('truncate "due_test"."bill", "due_test"."account"', []);
  await attached.rows.query(`insert into "due_test"."account" values ('acme')`, []);
});

const from = (ms: number): string => new Date(clock.now().getTime() + ms).toISOString();
const bill = (id: string, dueAt: string | null): Promise<object[]> =>
  attached.rows.query(`insert into "due_test"."bill" values ($1, 'org_1', 'acme', 0, $2)`, [id, dueAt]);
const stored = (): Promise<{ id: string; sent: number; due_ms: number | null }[]> =>
  attached.rows.query(
    'select "id", "sent", extract(epoch from "due_at")::float8 * 1000 as due_ms from "due_test"."bill" order by "id"',
    [],
  );
const send: DoDue = async (tx, id) => {
  const sent = 'update "due_test"."bill" set "sent" = "sent" + 1, "due_at" = null where "id" = ?';
  await tx.execute(sent, [id]);
};
const sweep = (act: DoDue, due: DueRows = BILLS, limit = 10): Promise<number> =>
  sweepOf({ ...attached, clock, log }, due, act)(clock.now(), limit);

test('a sweep processes only rows that are due, earliest first, and at most as many as its limit', async () => {
  await bill('today', from(-1000));
  await bill('yesterday', from(-24 * HOUR_MS));
  await bill('tomorrow', from(24 * HOUR_MS));
  await bill('never', null);
  const done: string[] = [];
  const recording: DoDue = async (tx, id, now) => {
    done.push(id);
    await send(tx, id, now);
  };
  expect(await sweep(recording, BILLS, 1)).toBe(1);
  expect(await sweep(recording)).toBe(1);
  expect(await sweep(recording)).toBe(0);
  expect(done).toEqual(['yesterday', 'today']);
});

test("a sweep of due rows processes each row with the ORM filter of the row's organization", async () => {
  await bill('one', from(-1000));
  let seen: unknown;
  await sweep(async (tx, id, now) => {
    seen = tx.getFilterParams('organization');
    await send(tx, id, now);
  });
  expect(seen).toEqual({ id: 'org_1', accounts: null });
});

test('a sweep of due rows rolls back and postpones a failing row, logs the error and processes the other rows', async () => {
  await bill('broken', from(-2000));
  await bill('fine', from(-1000));
  const act: DoDue = async (tx, id, now) => {
    await send(tx, id, now);
    if (id === 'broken') throw new Error('the printer burns');
  };
  expect(await sweep(act)).toBe(2);
  const [broken, fine] = await stored();
  expect([broken?.sent, fine?.sent]).toEqual([0, 1]);
  expect(Math.abs(Number(broken?.due_ms) - clock.now().getTime() - HOUR_MS)).toBeLessThan(HOUR_MS / 2);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ sweeper: 'test.bills', row: 'broken', err: expect.objectContaining({ message: 'the printer burns' }) }),
  ]);
});

test('two concurrent sweeps of due rows process each row once', async () => {
  await bill('one', from(-1000));
  const taken = await Promise.all([sweep(send), sweep(send)]);
  expect(taken.toSorted()).toEqual([0, 1]);
  expect(await stored()).toMatchObject([{ sent: 1 }]);
});

test('a sweep of due rows locks the owner of a row before the row, and skips rows without an owner', async () => {
  const owned = { ...BILLS, owner: { table: 'due_test.account', column: 'account_id' } };
  await bill('one', from(-1000));
  const statements: string[] = [];
  opened.database.onStatement = (sql) => statements.push(sql);
  expect(await sweep(send, owned)).toBe(1);
  opened.database.onStatement = undefined;
  const locks = statements.filter((sql) => sql.includes('for update skip locked'));
  expect(locks.map((sql) => /^select 1 from "due_test"."(\w+)"/.exec(sql)?.[1])).toEqual(['account', 'bill']);

  await bill('two', from(-1000));
  await attached.rows.query('truncate "due_test"."account"', []);
  expect(await sweep(send, owned)).toBe(0);
  expect(await stored()).toMatchObject([{ sent: 1 }, { sent: 0 }]);
});

/** Runs only on PostgreSQL, because the embedded database has only one session. */
test.skipIf(!process.env.TEST_DATABASE_URL).each([
  ['the row', 'bill'],
  ['its owner', 'account'],
])('a sweep of due rows skips a row without waiting if another transaction locks %s', async (_, table) => {
  await bill('one', from(-1000));
  await organizationEm(attached.orm, 'org_1').transactional(async (tx) => {
    await tx.execute(`select 1 from "due_test"."${table}" for update`);
    expect(await sweep(send, { ...BILLS, owner: { table: 'due_test.account', column: 'account_id' } })).toBe(0);
  });
  expect(await stored()).toMatchObject([{ sent: 0 }]);
});
