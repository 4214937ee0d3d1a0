import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EmbeddedDatabase } from './embedded.ts';

let database: EmbeddedDatabase;
let plain: PGlite;
beforeAll(async () => {
  [database, plain] = [await EmbeddedDatabase.open({}), await PGlite.create()];
});
afterAll(async () => {
  await database.close();
  await plain.close();
});
beforeEach(async () => {
  await database.exec('drop table if exists thing; create table thing (id int primary key, name text)');
});

const insert = (id: number, name: string | null = 'a') => database.query('insert into thing values ($1, $2)', [id, name]);
const prepared = async () =>
  (
    await database.query<{ statement: string; uses: number }>(
      'select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements where $1::boolean',
      [true],
    )
  ).rows;
const names = async () => (await database.query<{ name: string }>('select name from thing order by id')).rows.map(({ name }) => name);

const VALUES: [type: string, value: unknown][] = [
  ['int', 7],
  ['bigint', '9007199254740993'],
  ['numeric', '12.50'],
  ['float8', 0.1],
  ['bool', true],
  ['text', "it's"],
  ['text', null],
  ['jsonb', { a: [1, null] }],
  ['jsonb', '"text"'],
  ['timestamptz', new Date('2026-01-31T09:30:00.125Z')],
  ['date', '2026-01-31'],
  ['bytea', new Uint8Array([0, 255])],
  ['text[]', ['a', 'b,"c"', null]],
  ['int[]', [1, 2]],
];

test.each(VALUES)('the embedded database returns a value of type %s in the same form as PGlite: %s', async (type, value) => {
  for (const rowMode of ['object', 'array'] as const) {
    const text = `select $1::${type} as value, 1 as one`;
    const expected = await plain.query(text, [value], { rowMode });
    // the first execution prepares the statement, and later executions reuse the prepared statement
    for (let times = 0; times < 2; times += 1) {
      const { rows, fields, affectedRows } = await database.query(text, [value], { rowMode });
      expect({ rows, fields, affectedRows }).toEqual({ rows: expected.rows, fields: expected.fields, affectedRows: expected.affectedRows });
    }
  }
});

test('the embedded database returns the number of changed rows', async () => {
  expect((await insert(1)).affectedRows).toBe(1);
  await insert(2);
  expect((await database.query('update thing set name = $1 returning id', ['b'])).affectedRows).toBe(2);
  expect((await database.query('with gone as (delete from thing returning id) select * from gone')).rows).toHaveLength(2);
});

test('a failed statement throws an error with its PostgreSQL code, and the same statement can be run again', async () => {
  await insert(1);
  for (let times = 0; times < 2; times += 1) await expect(insert(1)).rejects.toMatchObject({ code: '23505', constraint: 'thing_pkey' });
  await expect(database.query('select nothing from thing')).rejects.toMatchObject({ code: '42703' });
  await insert(2);
  expect(await names()).toEqual(['a', 'a']);
});

test('a failed transaction stores no rows, and a successful transaction stores its rows', async () => {
  const failing = database.transaction(async (tx) => {
    await tx.query('insert into thing values ($1, $2)', [1, 'a']);
    await tx.query('insert into thing values ($1, $2)', [1, 'a']);
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  await database.transaction(async (tx) => void (await tx.query('insert into thing values ($1, $2)', [2, 'b'])));
  expect(await names()).toEqual(['b']);
});

test('a statement outside a transaction waits until the running transaction ends', async () => {
  const seen: string[] = [];
  const running = database.transaction(async (tx) => {
    await tx.query('insert into thing values ($1, $2)', [1, 'a']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push('transaction');
  });
  await Promise.all([running, names().then((found) => seen.push(...found))]);
  expect(seen).toEqual(['transaction', 'a']);
});

test('timers run while a task executes one statement after the other for 300 ms', async () => {
  let runs = 0;
  const timer = setInterval(() => {
    runs += 1;
  }, 10);
  const end = performance.now() + 300;
  while (performance.now() < end) {
    await insert(1);
    await database.transaction((tx) => tx.query('delete from thing'));
  }
  clearInterval(timer);
  expect(runs).toBeGreaterThan(3);
});

test('select * returns the current columns of a table after ALTER TABLE', async () => {
  await insert(1);
  expect((await database.query('select * from thing')).rows).toEqual([{ id: 1, name: 'a' }]);
  await database.query('alter table thing add column size int default 3');
  expect((await database.query('select * from thing')).rows).toEqual([{ id: 1, name: 'a', size: 3 }]);
  await database.transaction(async (tx) => void (await tx.query('alter table thing drop column name')));
  expect((await database.query('select * from thing')).rows).toEqual([{ id: 1, size: 3 }]);
});

test('the embedded database keeps at most 300 prepared statements', async () => {
  for (let count = 0; count < 400; count += 1) await database.query(`select $1::int + ${count} as value`, [1]);
  expect(await prepared()).toHaveLength(300);
});

test('a frequently used statement stays prepared while 400 other statements are run', async () => {
  const often = 'select $1::text as often';
  for (let count = 0; count < 400; count += 1) {
    await database.query(often, ['a']);
    await database.query(`select $1::int + ${count} as value`, [1]);
  }
  // one prepared statement with all 400 uses, so the statement was never removed and prepared again
  expect((await prepared()).filter(({ statement }) => statement === often)).toEqual([{ statement: often, uses: 400 }]);
});

test('a statement without parameters is prepared at its second use, unless the statement has more than 5,000 characters', async () => {
  const [short, long] = ["select 'short'", `select '${'long'.repeat(2_000)}'`];
  const uses = async () => {
    const statements = await prepared();
    return [short, long].map((text) => statements.find(({ statement }) => statement === text)?.uses ?? 0);
  };
  for (const expected of [0, 1, 2]) {
    await database.query(short);
    await database.query(long);
    expect(await uses()).toEqual([expected, 0]);
  }
});

test('a listener receives a notification that a pg_notify statement sends', async () => {
  const heard = new Promise((resolve) => void database.listen('news', resolve));
  await database.query('select 1');
  for (let times = 0; times < 2; times += 1) await database.query("select pg_notify('news', $1)", ['came']);
  expect(await heard).toBe('came');
});
