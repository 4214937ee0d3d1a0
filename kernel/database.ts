import 'reflect-metadata';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { AnyEntity, EntityClass } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { type Migration, Migrator } from '@mikro-orm/migrations';
import { PgliteDriver } from '@mikro-orm/pglite';
import { defineConfig, type EntityManager, MikroORM, type PostgreSqlDriver } from '@mikro-orm/postgresql';
import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import pg from 'pg';
import array from 'postgres-array';
import { EmbeddedDatabase } from './database.embedded.ts';
import { EXTENSIONS } from './database.extensions.ts';
import { DatabaseListener } from './database.listener.ts';
import { DatabaseReader } from './database.reader.ts';
import type { Logger } from './log.ts';

export type { EntityManager };
export type Orm = MikroORM;

/** Where data lies: a PostgreSQL server, or PGlite in a folder, which begins as a copy of the template: the folder of another that was closed. */
export type DatabaseTarget = { url: string; poolSize?: number } | { dataDir: string; template?: string };

/** What one subgraph keeps in a database. `schema` is its name, so that it can move to a database of its own. */
export interface Tables {
  schema: string;
  entities: EntityClass<AnyEntity>[];
  /** Tables of its own that are written with SQL and have no entity, beside those that the kernel knows. */
  tablesWithoutEntity?: readonly string[];
  migrations: { name: string; statements: readonly string[]; class: new (...args: ConstructorParameters<typeof Migration>) => Migration }[];
}

/** Reads rows without the ORM, outside of any transaction: what the record loaders stand on. */
export interface Rows {
  /** `plan` names a statement whose text is always the same: a server plans it once for each connection, not each time. */
  query<R extends object>(text: string, values: readonly unknown[], plan?: string): Promise<R[]>;
  /**
   * The same with the values of each row in the order of the columns: nothing is spent on their names. With a `plan` it must be a
   * short read without locks, since it is sent on a connection that others wait for (DatabaseReader).
   */
  tuples(text: string, values: readonly unknown[], plan?: string): Promise<unknown[][]>;
}

export interface Attached {
  orm: Orm;
  rows: Rows;
}

/** Tables that are written with SQL of their own and have no entity: outbox and inbox, the migrations' log, counts, texts to search. Functions and triggers are too. */
const SKIPPED_TABLES = ['outbox', 'inbox', 'migration', /_counter$/, /_tally$/, /_text$/];

/**
 * One database that several subgraphs may share. PGlite is a single session: everything that uses it goes through the one
 * instance, whose queue keeps a statement from landing inside another's transaction. Code inside a transaction must
 * therefore never wait for a statement outside of it.
 */
export class Database {
  readonly #orms: Orm[] = [];
  readonly #stops: (() => Promise<unknown>)[] = [];
  #listener: DatabaseListener | undefined;
  readonly #reader: DatabaseReader | undefined;
  /** Sees the text of every statement that records are read and written with: for tracing, and for tests that count. */
  onStatement: ((sql: string) => void) | undefined;

  private constructor(
    readonly target: DatabaseTarget,
    readonly pglite: PGlite | undefined,
    private readonly log: Logger,
  ) {
    this.#reader = 'url' in target ? new DatabaseReader(target.url) : undefined;
  }

  /** @throws the driver's error where the server cannot be reached or the folder cannot be opened. */
  static async open(target: DatabaseTarget, log: Logger): Promise<Database> {
    if ('url' in target) {
      const client = new pg.Client({ connectionString: target.url, connectionTimeoutMillis: 5000 });
      await client.connect();
      await client.end();
      return new Database(target, undefined, log);
    }
    const parsers = createPostgreSqlTypeParsers((text: string) => array.parse(text));
    const { dataDir, template } = target;
    await createCluster(dataDir, template);
    const pglite = await EmbeddedDatabase.open({ dataDir, parsers, extensions: EXTENSIONS });
    forgetCompositeTypes(pglite);
    return new Database(target, pglite, log);
  }

  /** Opens a subgraph's part and brings its schema up to date. */
  async attach(tables: Tables): Promise<Attached> {
    const orm = (await MikroORM.init(this.#config(tables))) as unknown as Orm;
    await orm.em.getConnection().execute(`create schema if not exists "${tables.schema}"`);
    await orm.migrator.up();
    this.#orms.push(orm);
    return { orm, rows: await this.#rows(orm) };
  }

  async #rows(orm: Orm): Promise<Rows> {
    const { query, tuples } = this.#reader
      ? onServer((await orm.em.getConnection().getNativeClient()) as pg.Pool, this.#reader)
      : onEmbedded(this.pglite as PGlite);
    return {
      query: <R extends object>(text: string, values: readonly unknown[], plan?: string) => {
        this.onStatement?.(text);
        return query(text, [...values], plan) as Promise<R[]>;
      },
      tuples: (text, values, plan) => {
        this.onStatement?.(text);
        return tuples(text, [...values], plan);
      },
    };
  }

  /** Calls back for every NOTIFY on a channel, from any process that shares the database. */
  async listen(channel: string, callback: (payload: string) => void): Promise<void> {
    if (this.pglite) {
      this.#stops.push(await this.pglite.listen(channel, callback));
      return;
    }
    this.#listener ??= new DatabaseListener((this.target as { url: string }).url, this.log);
    await this.#listener.listen(channel, callback);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#listener?.close();
    await this.#reader?.close();
    for (const orm of this.#orms) await orm.close();
    await this.pglite?.close();
  }

  #config({ schema, entities, tablesWithoutEntity = [], migrations }: Tables): Parameters<typeof MikroORM.init>[0] {
    const shared = {
      entities,
      schema,
      // else an entity manager that is made while a transaction of another subgraph is open becomes one of that subgraph
      contextName: schema,
      metadataProvider: ReflectMetadataProvider,
      extensions: [Migrator],
      migrations: { migrationsList: migrations, tableName: `${schema}.migration`, snapshot: false, transactional: true },
      schemaGenerator: {
        skipTables: [...SKIPPED_TABLES, ...tablesWithoutEntity],
        ignoreRoutines: true,
        ignoreTriggers: true,
      },
      forceUtcTimezone: true,
      discovery: { warnWhenNoEntities: false },
      onQuery: (sql: string) => {
        this.onStatement?.(sql);
        return sql;
      },
      logger: (message: string) => this.log.debug({ component: 'orm' }, message),
    };
    if (!this.pglite) {
      const { url, poolSize = 5 } = this.target as { url: string; poolSize?: number };
      return defineConfig({ ...shared, clientUrl: url, pool: { min: 0, max: poolSize } });
    }
    // PGlite speaks the same SQL through a driver of the same shape
    const driver = PgliteDriver as unknown as typeof PostgreSqlDriver;
    return defineConfig({ ...shared, driver, dbName: 'postgres', driverOptions: { pglite: this.pglite } });
  }
}

/** What a migration states with a column, `references …`, is named so by PostgreSQL; an entity has the id alone. */
const STATED_REFERENCE = /^alter table \S+ drop constraint "\w+_fkey";$\n?/gm;

/** The SQL that a subgraph's schema needs beyond its migrations to be as its entities say; empty where they agree. */
export async function drift({ schema, config }: Orm): Promise<string> {
  const sql = await schema.getUpdateSchemaSQL({ wrap: false, schema: config.get('schema') as string });
  return sql.replace(STATED_REFERENCE, '').trim();
}

interface RunRows {
  query(text: string, values: unknown[], plan: string | undefined): Promise<unknown[]>;
  tuples(text: string, values: unknown[], plan: string | undefined): Promise<unknown[][]>;
}

/** Built-in base types and their arrays have smaller ids than this; from here on lie those of tables, which each bring an array. */
const FIRST_COMPOSITE_OID = 10_000;

/** PGlite copies its table of parsers for every statement: with an entry for each table that was half the time of a short one. No statement answers whole rows. */
function forgetCompositeTypes({ parsers }: PGlite): void {
  for (const oid of Object.keys(parsers)) if (Number(oid) >= FIRST_COMPOSITE_OID) delete parsers[Number(oid)];
}

const onEmbedded = (pglite: PGlite): RunRows => ({
  query: async (text, values) => (await pglite.query(text, values)).rows,
  tuples: async (text, values) => (await pglite.query<unknown[]>(text, values, { rowMode: 'array' })).rows,
});

const onServer = (pool: pg.Pool, reader: DatabaseReader): RunRows => ({
  query: async (text, values, name) => (await pool.query(name === undefined ? { text, values } : { name, text, values })).rows,
  tuples: async (text, values, name) => {
    if (name !== undefined) return reader.read({ name, text, values });
    return (await pool.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
  },
});

/** For a process that is the only one at its database, on whose files the system keeps what was read as well. */
const SETTINGS = ['shared_buffers = 32MB', 'min_wal_size = 2MB'];

/** A cluster of one database, in which nobody makes another, and with small files of the log: a third of what it would be, to be copied. */
async function initialize(dataDir: string): Promise<void> {
  const initDbStartParams = ['--wal-segsize=1'];
  const pglite = await PGlite.create({ dataDir, extensions: EXTENSIONS, initDbStartParams, postgresqlconf: SETTINGS });
  await pglite.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await pglite.exec(`drop database ${name}`);
  await pglite.close();
}

/** A cluster in a folder appears there whole or not at all, so that a start that was killed half way can be repeated. */
async function createCluster(dataDir: string, template: string | undefined): Promise<void> {
  if (existsSync(dataDir)) return;
  const partial = `${dataDir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(dataDir), { recursive: true });
  if (template && existsSync(template)) cpSync(template, partial, { recursive: true });
  else await initialize(partial);
  renameSync(partial, dataDir);
}
