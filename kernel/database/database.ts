import { AsyncResource } from 'node:async_hooks';
import 'reflect-metadata';
import type { PGlite } from '@electric-sql/pglite';
import type { AnyEntity, EntityClass } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { PgliteDriver } from '@mikro-orm/pglite';
import { defineConfig, type EntityManager, MikroORM, type PostgreSqlDriver } from '@mikro-orm/postgresql';
import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import type pg from 'pg';
import array from 'postgres-array';
import type { Logger } from '../log/log.ts';
import { EXTENSIONS } from '../migrations/extensions.ts';
import type { MigrationStep } from '../migrations/migration.ts';
import { SchemaMigrator } from '../migrations/migrator.ts';
import { SteppedSchema } from '../migrations/stepped-schema.ts';
import type { SchemaUpgrade, VersionedSchema } from '../migrations/versioned-schema.ts';
import { ConfigError } from '../settings/config.ts';
import type { MigrateMode } from '../settings/data.ts';
import { WorkPoller } from '../work/work-poller.ts';
import { createCluster } from './cluster.ts';
import { connectionModeOf } from './connection-mode.ts';
import { EmbeddedDatabase } from './embedded.ts';
import { DatabaseListener } from './listener.ts';
import { type Notification, Notifier } from './notifier.ts';
import { createPool } from './pool.ts';
import { DatabaseReader } from './reader.ts';
import { StatementNames, type StatementOptions } from './statements.ts';
import { TransactionDialect } from './transactions.ts';
import { UnitOfWorkDriver } from './unit-of-work-driver.ts';

export type { EntityManager };
export type Orm = MikroORM;

/**
 * A PostgreSQL server, or PGlite in a folder. A new folder starts as a copy of `template`, the folder of a closed
 * database. `directUrl` (default: `url`) connects to the same database without the connection pooler, for work that
 * needs its own session.
 */
export type DatabaseTarget = { url: string; directUrl?: string; poolSize?: number } | { dataDir: string; template?: string };

/**
 * The tables of one subgraph. `schema` is the name of the subgraph. Each subgraph has its own database schema, so that
 * it can move to another database.
 */
export interface Tables {
  schema: string;
  entities: EntityClass<AnyEntity>[];
  /**
   * Names of the subgraph's tables that are accessed with SQL and have no entity. Tables of the kernel need not be
   * listed.
   */
  tablesWithoutEntity?: readonly string[];
  migrations: readonly MigrationStep[];
}

/** Queries rows without the ORM and outside of transactions. The record loaders use it. */
export interface Rows {
  query<R extends object>(text: string, values: readonly unknown[], options?: StatementOptions): Promise<R[]>;
  /**
   * Works like `query`, but returns the values of each row in column order, which is faster because no objects are
   * created. A query with the option `PREPARED` must be a short read without locks, because it shares its connection
   * with other queries (DatabaseReader).
   */
  tuples(text: string, values: readonly unknown[], options?: StatementOptions): Promise<unknown[][]>;
}

/** The number of connections of a pool, their maximum, and the number of callers that wait for a connection. */
export type PoolCounts = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>;

export interface Attached {
  orm: Orm;
  rows: Rows;
}

const rowsOfOrm = new WeakMap<object, Rows>();

/** Returns the `Rows` of the subgraph to which an entity manager belongs. They do not take part in its transaction. */
export function rowsOf(em: EntityManager): Rows {
  const rows = rowsOfOrm.get(em.config);
  if (!rows) throw new Error('The entity manager does not belong to the tables of a subgraph.');
  return rows;
}

/** Default number of connections of each subgraph. */
const POOL_SIZE = 5;
/** Number of direct connections: one for listening and polling, one for short reads. */
const DIRECT_CONNECTIONS = 2;

const BY_TRANSACTION =
  'DATABASE_DIRECT_URL (or DATABASE_URL, if it is not set) leads to a connection pooler in transaction mode (PgBouncer with pool_mode = transaction). Set DATABASE_DIRECT_URL to the server itself. See Connections to PostgreSQL in docs/config.md.';

/**
 * Tables that have no entity because they are accessed with SQL: outbox, inbox, migrations, backfills, counters, search
 * texts. The comparison of entities and tables skips them.
 */
const SKIPPED_TABLES = ['outbox', 'inbox', 'migration', 'backfill', /_counter$/, /_tally$/, /_text$/];

/**
 * One database that several subgraphs may share.
 * PGlite has a single session. All its users share one instance, whose queue prevents a statement from running inside
 * the transaction of another user. So code inside a transaction must never wait for a statement outside of the
 * transaction.
 */
export class Database {
  readonly #orms: Orm[] = [];
  readonly #stops: (() => Promise<unknown>)[] = [];
  readonly #listener: DatabaseListener | undefined;
  /** Connection pools by name: one per domain, and one for the job queue. Empty for the embedded database. */
  readonly pools = new Map<string, PoolCounts>();
  /** Polls this database for the work of background loops. */
  readonly poller: WorkPoller;
  readonly #notifier: Notifier;
  readonly #reader: DatabaseReader | undefined;
  readonly #names = new StatementNames();
  readonly #migrator: SchemaMigrator;
  /** Schemas that this process has upgraded or found up to date. */
  readonly #migrated = new Set<string>();
  /**
   * Called with the text of each statement that reads or writes records, for tracing and for tests that count
   * statements.
   */
  onStatement: ((sql: string) => void) | undefined;
  /** Called with the statements that are sent to a server in one round trip. Not called for the embedded database. */
  onRoundTrip: ((batch: readonly string[]) => void) | undefined;

  private constructor(
    readonly target: DatabaseTarget,
    readonly pglite: PGlite | undefined,
    private readonly log: Logger,
    mode: MigrateMode,
  ) {
    this.#reader = this.directUrl === undefined ? undefined : new DatabaseReader(this.directUrl, this.#names);
    this.#listener = this.directUrl === undefined ? undefined : new DatabaseListener(this.directUrl, this.#names, log);
    this.poller = new WorkPoller((text, values) => this.#background(text, values), log);
    this.#notifier = new Notifier((text, values) => this.#background(text, values), log);
    this.#migrator = new SchemaMigrator({ directUrl: this.directUrl, pglite, mode, log });
  }

  /**
   * URL of the server without a connection pooler, so each connection has its own session. LISTEN, prepared statements,
   * migrations and session locks need their own session. Undefined for the embedded database.
   */
  get directUrl(): string | undefined {
    return 'url' in this.target ? (this.target.directUrl ?? this.target.url) : undefined;
  }

  /** Maximum number of connections of this process: `pooled` to `url`, and `direct` to `directUrl`. */
  get connections(): { pooled: number; direct: number } {
    if (this.pglite) return { pooled: 0, direct: 0 };
    const pooled = [...this.pools.values()].reduce((sum, { options }) => sum + options.max, 0);
    return { pooled, direct: DIRECT_CONNECTIONS };
  }

  /**
   * True if `url` differs from `directUrl`. In this case, `url` leads to a connection pooler, and each transaction of a connection may use
   * another server session.
   */
  get #isPooled(): boolean {
    return 'url' in this.target && this.target.url !== this.directUrl;
  }

  /**
   * Opens a database.
   * @throws Error of the driver if the server cannot be reached or the folder cannot be opened; ConfigError if the connections of
   * `directUrl` do not have their own session
   */
  static async open(target: DatabaseTarget, log: Logger, mode: MigrateMode = 'auto'): Promise<Database> {
    if ('url' in target) {
      const { url, directUrl = url } = target;
      if (directUrl !== url) await connectionModeOf(url);
      const way = await connectionModeOf(directUrl);
      // with a pooler in transaction mode, prepared statements and settings would affect the sessions of other clients
      if (way === 'pooled by transaction') throw new ConfigError([BY_TRANSACTION]);
      if (way === 'pooled')
        log.warn('DATABASE_URL or DATABASE_DIRECT_URL seems to lead to a connection pooler. Set DATABASE_DIRECT_URL to the server itself.');
      return new Database(target, undefined, log, mode);
    }
    const parsers = createPostgreSqlTypeParsers((text: string) => array.parse(text));
    const { dataDir, template } = target;
    await createCluster(dataDir, template);
    const pglite = await EmbeddedDatabase.open({ dataDir, parsers, extensions: EXTENSIONS });
    forgetCompositeTypes(pglite);
    return new Database(target, pglite, log, mode);
  }

  /**
   * Brings schemas up to date. It inspects all schemas before it changes any of them. It skips schemas that this
   * process has already upgraded or found up to date.
   * @throws SchemaError if this release cannot work with a schema
   */
  async migrate(schemas: readonly VersionedSchema[]): Promise<SchemaUpgrade[]> {
    const unseen = schemas.filter(({ schema }) => !this.#migrated.has(schema));
    if (unseen.length === 0) return [];
    const upgrades = await this.#migrator.migrate(unseen);
    for (const { schema } of unseen) this.#migrated.add(schema);
    return upgrades;
  }

  /**
   * Lists the upgrades that `migrate` would apply.
   * @throws SchemaError if this release cannot work with a schema
   */
  upgrades(schemas: readonly VersionedSchema[]): Promise<SchemaUpgrade[]> {
    return this.#migrator.upgrades(schemas);
  }

  /** Opens a subgraph's tables and brings its schema up to date. */
  async attach(tables: Tables): Promise<Attached> {
    await this.migrate([new SteppedSchema(tables.schema, tables.migrations)]);
    const pool = this.#pool();
    const orm = (await MikroORM.init(this.#config(tables, pool))) as unknown as Orm;
    this.#orms.push(orm);
    if (pool) this.pools.set(tables.schema, pool);
    const rows = this.#rows(pool);
    rowsOfOrm.set(orm.config, rows);
    return { orm, rows };
  }

  #pool(): pg.Pool | undefined {
    if (!('url' in this.target)) return undefined;
    const { url, poolSize = POOL_SIZE } = this.target;
    return createPool({ url, max: poolSize, log: this.log });
  }

  #rows(pool: pg.Pool | undefined): Rows {
    const { query, tuples } =
      pool && this.#reader ? onServer(pool, this.#reader, this.#isPooled ? undefined : this.#names) : onEmbedded(this.pglite as PGlite);
    return {
      query: <R extends object>(text: string, values: readonly unknown[], { isPrepared = false }: StatementOptions = {}) => {
        this.#seen(text);
        return query(text, [...values], isPrepared) as Promise<R[]>;
      },
      tuples: (text, values, { isPrepared = false } = {}) => {
        this.#seen(text);
        return tuples(text, [...values], isPrepared);
      },
    };
  }

  #seen(text: string): void {
    this.onStatement?.(text);
    if (!this.pglite) this.onRoundTrip?.([text]);
  }

  /** Sends a NOTIFY to all processes that share the database, within milliseconds. In a transaction, use `notify(tx, …)`. */
  notify(notification: Notification): void {
    this.#notifier.notify(notification);
  }

  /** Calls `callback` for every NOTIFY on a channel. The NOTIFY may come from any process that shares the database. */
  async listen(channel: string, callback: (payload: string) => void): Promise<void> {
    if (this.pglite) {
      // otherwise the work that a notification wakes would belong to the request that sent it
      this.#stops.push(await this.pglite.listen(channel, AsyncResource.bind(callback)));
      return;
    }
    await this.#listener?.listen(channel, callback);
  }

  /** Runs a statement that no request waits for: on a server, on the listening connection. */
  async #background(text: string, values: readonly unknown[]): Promise<unknown[][]> {
    if (this.#listener) return this.#listener.tuples(text, values);
    return onEmbedded(this.pglite as PGlite).tuples(text, [...values], false);
  }

  async close(): Promise<void> {
    await this.poller.close();
    for (const stop of this.#stops) await stop();
    await this.#listener?.close();
    await this.#reader?.close();
    for (const orm of this.#orms) await orm.close();
    await this.pglite?.close();
  }

  #config({ schema, entities, tablesWithoutEntity = [] }: Tables, pool?: pg.Pool): Parameters<typeof MikroORM.init>[0] {
    const shared = {
      entities,
      schema,
      // without its own name, an entity manager that is created during another subgraph's transaction would belong to
      // that subgraph
      contextName: schema,
      metadataProvider: ReflectMetadataProvider,
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
    if (pool && 'url' in this.target)
      return defineConfig({
        ...shared,
        driver: UnitOfWorkDriver,
        clientUrl: this.target.url,
        driverOptions: new TransactionDialect(pool, {
          sent: (batch) => this.onRoundTrip?.(batch),
          notified: (notification) => this.notify(notification),
        }),
      });
    // the driver of PGlite accepts the same SQL and has the same interface
    const driver = PgliteDriver as unknown as typeof PostgreSqlDriver;
    return defineConfig({ ...shared, driver, dbName: 'postgres', driverOptions: { pglite: this.pglite } });
  }
}

/**
 * Matches statements that drop foreign keys. Migrations declare foreign keys in a column (`references …`), and
 * PostgreSQL names them `…_fkey`. Entities do not declare foreign keys, so the ORM would drop them.
 */
const STATED_REFERENCE = /^alter table \S+ drop constraint "\w+_fkey";$\n?/gm;

/**
 * Returns the SQL that would change a subgraph's schema to match its entities. Empty if schema and entities match,
 * except for foreign keys.
 */
export async function drift({ schema, config }: Orm): Promise<string> {
  const sql = await schema.getUpdateSchemaSQL({ wrap: false, schema: config.get('schema') as string });
  return sql.replace(STATED_REFERENCE, '').trim();
}

interface RunRows {
  query(text: string, values: unknown[], isPrepared: boolean): Promise<unknown[]>;
  tuples(text: string, values: unknown[], isPrepared: boolean): Promise<unknown[][]>;
}

/**
 * Smallest OID of a type that belongs to a table. PostgreSQL creates a row type and an array type for each table.
 * Built-in base types and their array types have smaller OIDs.
 */
const FIRST_COMPOSITE_OID = 10_000;

/**
 * Removes the parsers of table types. PGlite copies its list of parsers for every statement. With a parser for each
 * table, the copying took half the time of a short statement. No statement returns whole rows, so the parsers are not
 * needed.
 */
function forgetCompositeTypes({ parsers }: PGlite): void {
  for (const oid of Object.keys(parsers)) if (Number(oid) >= FIRST_COMPOSITE_OID) delete parsers[Number(oid)];
}

const onEmbedded = (pglite: PGlite): RunRows => ({
  query: async (text, values) => (await pglite.query(text, values)).rows,
  tuples: async (text, values) => (await pglite.query<unknown[]>(text, values, { rowMode: 'array' })).rows,
});

/**
 * Creates the functions that query a server. `names` is undefined behind a pooler, where the next transaction may use a
 * session without the prepared statement.
 */
const onServer = (pool: pg.Pool, reader: DatabaseReader, names: StatementNames | undefined): RunRows => ({
  query: async (text, values, isPrepared) => (await pool.query({ name: isPrepared ? names?.of(text) : undefined, text, values })).rows,
  tuples: async (text, values, isPrepared) => {
    if (isPrepared) return reader.read(text, values);
    return (await pool.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
  },
});
