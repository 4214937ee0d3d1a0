import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { CompiledQuery, type Transaction } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Attached, Database, type EntityManager } from '../../kernel/database/database.ts';
import { unavailableFor } from '../../kernel/database/unavailable.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { migration } from '../../kernel/migrations/migration.ts';
import { executeUnread } from '../../kernel/records/records.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';

const TABLES = {
  schema: 'deeds_test',
  entities: [],
  migrations: [
    migration('0001-deeds', [
      'create table deeds_test.deed (id int primary key)',
      'create table deeds_test.promise (id int primary key deferrable initially deferred)',
      'create table deeds_test.fatal (id int)',
      'create table deeds_test.fatal_at_last (id int)',
      `create function deeds_test.end_session() returns trigger language plpgsql as
         $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
      'create trigger ends after insert on deeds_test.fatal for each row execute function deeds_test.end_session()',
      `create constraint trigger ends after insert on deeds_test.fatal_at_last deferrable initially deferred
         for each row execute function deeds_test.end_session()`,
    ]),
  ],
};

interface World extends Attached {
  proxy: DatabaseProxy;
  /** One list for each round trip, with the first word of each statement, such as `insert`. */
  sent: string[][];
}

/** A database with one connection through a proxy that counts round trips. */
async function world(): Promise<World> {
  const proxy = await DatabaseProxy.start((await ownDatabase()) as string);
  const database = await Database.open({ url: proxy.url, poolSize: 1 }, createLogger({ level: 'silent' }));
  onTestFinished(() => database.close());
  const attached = await database.attach(TABLES);
  // the first statement opens and checks the connection, so that it is not counted later
  await attached.orm.em.fork().execute('select 1');
  const sent: string[][] = [];
  database.onRoundTrip = (batch) => sent.push(batch.map((sql) => sql.split(/\W/, 1)[0] as string));
  return { ...attached, proxy, sent };
}

const insert = (tx: EntityManager, id: number, table = 'deed') => tx.execute(`insert into deeds_test.${table} (id) values (?)`, [id]);
const count = async ({ rows }: World): Promise<number> =>
  (await rows.query<{ n: number }>('select count(*)::int as n from deeds_test.deed', []))[0]?.n as number;

describe.runIf(process.env.TEST_DATABASE_URL)('transaction round trips and failures', () => {
  let here: World;
  const within = <T>(act: (tx: EntityManager) => Promise<T>): Promise<T> => here.orm.em.fork().transactional(act);
  beforeEach(async () => {
    here = await world();
  });

  test('a transaction that contains only inserts takes one round trip', async () => {
    const before = here.proxy.roundTrips;
    await within(async (tx) => {
      for (const id of [1, 2, 3]) await insert(tx, id);
    });
    expect(here.sent).toEqual([['begin', 'insert', 'insert', 'insert', 'commit']]);
    expect(here.proxy.roundTrips - before).toBe(1);
    expect(await count(here)).toBe(3);
  });

  test('an inner transaction that fails discards its inserts that were not sent yet, and the outer transaction commits', async () => {
    await within((tx) => insert(tx, 1));
    await within(async (tx) => {
      await insert(tx, 2);
      const failed = tx.transactional(async (inner) => {
        await insert(inner, 1);
        throw new Error('Something else failed.');
      });
      await expect(failed).rejects.toThrow('Something else failed.');
      await insert(tx, 3);
    });
    expect(await count(here)).toBe(3);
  });

  test('statements whose result is not needed are sent with the next statement that has a result, in their order', async () => {
    const found = await within(async (tx) => {
      await insert(tx, 1);
      await executeUnread(tx, 'update deeds_test.deed set id = id + ?', [10]);
      const rows = await tx.execute<{ id: number }[]>('select id from deeds_test.deed');
      await executeUnread(tx, 'delete from deeds_test.deed where id = ?', [11]);
      return rows;
    });
    expect(found).toEqual([{ id: 11 }]);
    expect(here.sent).toEqual([
      ['begin', 'insert', 'update', 'select'],
      ['delete', 'commit'],
    ]);
    expect(await count(here)).toBe(0);
  });

  test('the transaction throws the error of a statement whose result is not needed, and stores nothing', async () => {
    const failing = within(async (tx) => {
      await insert(tx, 1);
      await executeUnread(tx, 'insert into deeds_test.deed (id) values (?) on conflict (nothing) do nothing', [2]);
    });
    await expect(failing).rejects.toThrow(/nothing/);
    expect(await count(here)).toBe(0);
  });

  test('a transaction that waits ten seconds for a lock fails as unavailable with status 503', async () => {
    const holder = here.orm.config.get('clientUrl') as string;
    const server = new pg.Client(holder);
    await server.connect();
    onTestFinished(() => server.end());
    await server.query('begin; lock table deeds_test.deed in access exclusive mode');
    const began = performance.now();
    const refused = await within((tx) => insert(tx, 1)).catch((error: Error) => error);
    expect(unavailableFor(refused)).toMatchObject({ status: 503 });
    expect(performance.now() - began).toBeGreaterThan(9_000);
    await server.query('rollback');
    await within((tx) => insert(tx, 1));
    expect(await count(here)).toBe(1);
  });

  test('a transaction without statements sends nothing to the database', async () => {
    await within(async () => undefined);
    await expect(within(() => Promise.reject(new Error('changed my mind')))).rejects.toThrow('changed my mind');
    expect(here.sent).toEqual([]);
  });

  test('a transaction sends BEGIN with its first statement and can read its own inserts', async () => {
    await within(async (tx) => {
      await insert(tx, 1);
      expect(await tx.execute('select id from deeds_test.deed')).toEqual([{ id: 1 }]);
      await insert(tx, 2);
      await tx.execute('update deeds_test.deed set id = 3 where id = 2');
    });
    expect(here.sent).toEqual([['begin', 'insert', 'select'], ['insert', 'update'], ['commit']]);
  });

  test('a transaction with a duplicate insert throws UniqueConstraintViolationException and stores nothing', async () => {
    await within((tx) => insert(tx, 1));
    const failing = within(async (tx) => {
      for (const id of [2, 1, 3]) await insert(tx, id);
    });
    await expect(failing).rejects.toBeInstanceOf(UniqueConstraintViolationException);
    expect(await count(here)).toBe(1);
  });

  test('the statement after a failed insert throws the error of the insert', async () => {
    await within((tx) => insert(tx, 1));
    const failing = within(async (tx) => {
      await insert(tx, 1);
      // a statement that bypasses the ORM, as statements of the job queue do
      const past = tx.getTransactionContext<Transaction<unknown>>();
      await past?.executeQuery(CompiledQuery.raw('select id from deeds_test.deed'));
    });
    await expect(failing).rejects.toBeInstanceOf(UniqueConstraintViolationException);
    expect(await count(here)).toBe(1);
  });

  test('a deferred constraint that fails at COMMIT throws UniqueConstraintViolationException', async () => {
    await within((tx) => insert(tx, 1, 'promise'));
    await expect(within((tx) => insert(tx, 1, 'promise'))).rejects.toBeInstanceOf(UniqueConstraintViolationException);
    expect(await count(here)).toBe(0);
  });

  test('a transaction that ignores a failed statement throws an error at COMMIT and stores nothing', async () => {
    const failing = within(async (tx) => {
      await insert(tx, 1);
      await tx.execute('select 1 / 0').catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('rolled the transaction back');
    expect(await count(here)).toBe(0);
  });

  test('a connection lost before COMMIT throws SERVICE_UNAVAILABLE, and the next transaction uses another connection', async () => {
    const failing = within(async (tx) => {
      await insert(tx, 1);
      await insert(tx, 1, 'fatal');
      await tx.execute('select 1');
    });
    const error = unavailableFor(await failing.catch((thrown: unknown) => thrown));
    expect([error?.code, error?.details.outcome]).toEqual(['SERVICE_UNAVAILABLE', undefined]);
    await within((tx) => insert(tx, 9));
    expect(await count(here)).toBe(1);
  });

  test('a connection lost during COMMIT throws SERVICE_UNAVAILABLE with the outcome "unknown"', async () => {
    const error = unavailableFor(await within((tx) => insert(tx, 1, 'fatal_at_last')).catch((thrown: unknown) => thrown));
    expect([error?.code, error?.details.outcome]).toEqual(['SERVICE_UNAVAILABLE', 'unknown']);
    await within((tx) => insert(tx, 9));
    expect(await count(here)).toBe(1);
  });

  test('a connection lost between two statements throws SERVICE_UNAVAILABLE, and the next transaction uses another connection', async () => {
    const failing = within(async (tx) => {
      await tx.execute('select 1');
      here.proxy.disconnect();
      await tx.execute('select 2');
    });
    const error = unavailableFor(await failing.catch((thrown: unknown) => thrown));
    expect([error?.code, error?.details.outcome]).toEqual(['SERVICE_UNAVAILABLE', undefined]);
    here.proxy.reconnect();
    await within((tx) => insert(tx, 9));
    expect(await count(here)).toBe(1);
  });
});
