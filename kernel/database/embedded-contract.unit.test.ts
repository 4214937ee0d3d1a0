import { PGlite } from '@electric-sql/pglite';
import { defineConfig, EntitySchema, MikroORM } from '@mikro-orm/pglite';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { EmbeddedDatabase } from './embedded.ts';

/**
 * Names of internal methods of PGlite that `EmbeddedDatabase` depends on. This file tests undocumented behaviour of PGlite and of the ORM
 * driver. If a test fails after an update of a package, change kernel/database/embedded.ts before you accept the new version.
 */
const INTERNAL = ['_checkReady', '_runExclusiveQuery', '_runExclusiveTransaction'] as const;

const THING = new EntitySchema({ name: 'Thing', properties: { id: { type: 'integer', primary: true } } });

let plain: PGlite;
beforeAll(async () => {
  plain = await PGlite.create();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => plain.close());

const STATEMENTS: [name: string, run: (database: PGlite) => Promise<unknown>][] = [
  ['query', (database) => database.query('select $1::int', [1])],
  ['exec', (database) => database.exec('select 1; select 2')],
];

test.each(STATEMENTS)('PGlite runs `%s` with the internal methods that EmbeddedDatabase also calls', async (_, run) => {
  const spies = INTERNAL.map((name) => vi.spyOn(plain, name));
  await run(plain);
  for (const [index, name] of INTERNAL.entries()) expect(spies[index], `PGlite no longer calls ${name}`).toHaveBeenCalled();
});

test('PGlite runs a transaction inside `_runExclusiveTransaction` and passes `query`, `exec` and `closed` to its callback', async () => {
  const exclusive = vi.spyOn(plain, '_runExclusiveTransaction');
  await plain.transaction(async (tx) => {
    expect(exclusive, 'PGlite no longer calls _runExclusiveTransaction').toHaveBeenCalled();
    expect([typeof tx.query, typeof tx.exec, tx.closed]).toEqual(['function', 'function', false]);
  });
});

test('the ORM driver calls `query` and `transaction` of EmbeddedDatabase', async () => {
  const database = await EmbeddedDatabase.open({});
  const [query, transaction] = [vi.spyOn(database, 'query'), vi.spyOn(database, 'transaction')];
  const orm = await MikroORM.init(defineConfig({ dbName: 'postgres', entities: [THING], driverOptions: { pglite: database } }));
  await orm.em.fork().execute('select 1');
  expect(query, 'the driver no longer calls query').toHaveBeenCalled();
  await orm.em.fork().transactional((tx) => tx.execute('select 2'));
  expect(transaction, 'the driver no longer calls transaction').toHaveBeenCalled();
  await orm.close();
  await database.close();
});
