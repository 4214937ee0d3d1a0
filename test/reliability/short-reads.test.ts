import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { PREPARED } from '../../kernel/database/statements.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { eventually } from '../rig.ts';
import { emptyDatabase } from '../support/empty-database.ts';

let opened: Awaited<ReturnType<typeof emptyDatabase>>;
let rows: Rows;
beforeAll(async () => {
  opened = await emptyDatabase(createLogger({ level: 'silent' }));
  ({ rows } = await opened.database.attach({ schema: 'reads_test', entities: [], migrations: [] }));
});
afterAll(() => opened.drop());

const double = (value: number): Promise<unknown[][]> => rows.tuples('select $1::int * 2, $1::int', [value], PREPARED);
const divided = (value: number): Promise<unknown[][]> => rows.tuples('select 10 / $1::int', [value], PREPARED);

test('each of 300 concurrent short reads returns its own result', async () => {
  const responses = await Promise.all(Array.from({ length: 300 }, (_, value) => double(value)));
  expect(responses).toEqual(Array.from({ length: 300 }, (_, value) => [[value * 2, value]]));
});

test('a failing short read does not affect other concurrent short reads', async () => {
  const [before, failed, after] = await Promise.allSettled([divided(5), divided(0), divided(2)]);
  expect(before).toMatchObject({ value: [[2]] });
  expect(failed).toMatchObject({ reason: { code: '22012' } });
  expect(after).toMatchObject({ value: [[5]] });
});

test('short reads return a timestamp as a Date or as text that Date can parse, and jsonb as an object', async () => {
  const [row] = await rows.tuples(`select '2026-01-31 09:30:00.125+00'::timestamptz, '{"a": 1}'::jsonb`, [], PREPARED);
  expect(new Date(row?.[0] as string | Date).toISOString()).toBe('2026-01-31T09:30:00.125Z');
  expect(row?.[1]).toEqual({ a: 1 });
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'if a connection is lost, its pending short reads fail and the next short read uses another connection',
  async () => {
    const [first] = await rows.tuples('select pg_backend_pid()', [], PREPARED);
    const sent = rows.tuples('select pg_sleep(30)', [], PREPARED).catch((error: Error) => error);
    await eventually(
      async () => (await rows.query(`select 1 from pg_stat_activity where "pid" = $1 and "state" = 'active'`, [first?.[0]])).length,
    );
    await rows.query('select pg_terminate_backend($1)', [first?.[0]]);
    expect(await sent).toBeInstanceOf(Error);
    const [second] = await rows.tuples('select pg_backend_pid()', [], PREPARED);
    expect(second?.[0]).not.toBe(first?.[0]);
    expect(await double(4)).toEqual([[8, 4]]);
  },
);
