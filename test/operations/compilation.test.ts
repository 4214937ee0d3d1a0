import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { SteppedSchema } from '../../kernel/migrations/stepped-schema.ts';
import { ownDatabase } from '../support/own-database.ts';

const SCHEMA = new SteppedSchema('short', []);

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** The value of the `jit` setting in a new session. */
async function compiles(url: string): Promise<string> {
  const { rows } = await (await connected(url)).query('show jit');
  return rows[0].jit;
}

/** Migrates an empty database and returns the logged warnings. */
async function migrated(url: string): Promise<string[]> {
  const logged: string[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line) => void logged.push(line) } });
  const database = await Database.open({ url }, log);
  await database.migrate([SCHEMA]);
  await database.close();
  return logged;
}

/** The URLs of a new database for its owner and for a new role that may create schemas in it. */
async function asRole(): Promise<{ url: string; own: string; role: string }> {
  const own = (await ownDatabase()) as string;
  const admin = await connected(own);
  const { database = '' } = admin;
  const role = `${database}_role`;
  await admin.query(`create role ${role} login password 'of a test'; grant create on database ${database} to ${role}`);
  onTestFinished(async () => {
    await admin.query(`drop owned by ${role}; drop role ${role}`);
  });
  const url = new URL(own);
  url.username = role;
  url.password = 'of a test';
  return { url: url.href, own, role };
}

describe.runIf(process.env.TEST_DATABASE_URL)('JIT compilation in PostgreSQL', () => {
  test('migrations turn off JIT compilation for the whole database if the role owns it', async () => {
    const url = (await ownDatabase()) as string;
    expect(await compiles(url)).toBe('on');
    expect(await migrated(url)).toEqual([]);
    expect(await compiles(url)).toBe('off');
  });

  test('migrations turn off JIT compilation only for their own role if the role does not own the database', async () => {
    const { url, own } = await asRole();
    expect(await migrated(url)).toEqual([]);
    expect([await compiles(url), await compiles(own)]).toEqual(['off', 'on']);
  });

  test('migrations do not change a JIT setting that the operator has set', async () => {
    const url = (await ownDatabase()) as string;
    const client = await connected(url);
    await client.query(`alter database ${client.database} set jit = on`);
    expect(await migrated(url)).toEqual([]);
    expect(await compiles(url)).toBe('on');
  });

  test('if migrations cannot turn off JIT compilation, they log a warning and succeed', async () => {
    const { url, own, role } = await asRole();
    await migrated(url);
    const admin = await connected(own);
    await admin.query(
      `alter role ${role} in database ${admin.database} reset jit; alter role ${role} set default_transaction_read_only = on`,
    );
    const logged = await migrated(url);
    expect(logged.map((line) => JSON.parse(line).msg)).toEqual([expect.stringMatching(/^PostgreSQL compiles statements \(jit\)/)]);
    expect(await compiles(url)).toBe('on');
  });
});
