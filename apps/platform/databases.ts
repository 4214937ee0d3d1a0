import { join } from 'node:path';
import { type Attached, Database, type PoolCounts, type Tables } from '../../kernel/database/database.ts';
import { expiredInbox } from '../../kernel/events/outbox.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import type { Logger } from '../../kernel/log/log.ts';
import type { OrganizationLog } from '../../kernel/log/organization-log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { SchemaUpgrade } from '../../kernel/migrations/versioned-schema.ts';
import { type Config, type DatabaseUrls, databaseUrlsOf } from '../../kernel/settings/config.ts';
import { SUBGRAPHS, type SubgraphName } from '../../kernel/settings/data.ts';
import { isTraced, traceStatement } from '../../kernel/tracing/tracing.ts';
import { type Retained, RetentionTask, retainedRows } from '../../kernel/work/retention.ts';
import { schemasOf } from './schemas.ts';
import { EMBEDDED_DATABASE } from './secret-key.ts';

/** The schema of a domain in its database, and the job queue of this database. */
export interface Store extends Attached {
  schema: string;
  database: Database;
  jobs: Jobs;
}

const INBOX_MS = 3_600_000;

/** The databases of the process: one in embedded mode, otherwise one for each database URL in the settings. */
export class Databases {
  readonly #stores: Store[] = [];
  readonly inboxes: RetentionTask;
  #stopSampling: (() => void) | undefined;
  readonly #opened = new Map<string, Promise<{ database: Database; jobs: Jobs }>>();

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    /** Path of the template for the embedded database. */
    private readonly template?: string,
    private readonly metrics?: Metrics,
    private readonly organizationLog?: OrganizationLog,
  ) {
    this.inboxes = new RetentionTask({ name: 'inboxes', everyMs: INBOX_MS, log }, () => this.retained);
  }

  /**
   * Opens the database of a domain, unless it is already open for another domain. Applies the pending migrations of the
   * domain's schema.
   */
  async storeOf(tables: Tables): Promise<Store> {
    const { database, jobs } = await this.#open(databaseUrlsOf(this.config, tables.schema));
    const store = { schema: tables.schema, database, jobs, ...(await database.attach(tables)) };
    if (SUBGRAPHS.some((name) => name === tables.schema)) this.#stores.push(store);
    return store;
  }

  /**
   * Applies the pending migrations of all databases. All schemas of a database are checked before any of them is
   * changed.
   * @throws SchemaError
   */
  async migrate(): Promise<SchemaUpgrade[]> {
    const done: SchemaUpgrade[] = [];
    for (const [database, subgraphs] of await this.#byDatabase()) done.push(...(await database.migrate(schemasOf(subgraphs))));
    return done;
  }

  /** Lists the upgrades that `migrate` would apply, without applying them. @throws SchemaError */
  async upgrades(): Promise<SchemaUpgrade[]> {
    const found: SchemaUpgrade[] = [];
    for (const [database, subgraphs] of await this.#byDatabase()) found.push(...(await database.upgrades(schemasOf(subgraphs))));
    return found;
  }

  /** Starts the job queues. With `work: false`, jobs can be enqueued but do not run. */
  async startJobs({ work = true } = {}): Promise<void> {
    for (const { jobs } of await this.#all()) await jobs.start({ work });
    if (!work) return;
    const servers = (await this.#all()).filter(({ database }) => 'url' in database.target);
    const connections = servers.map(({ database }) => ({
      database: shownUrl((database.target as { url: string }).url),
      ...database.connections,
    }));
    if (connections.length > 0) this.log.info({ connections }, 'connections that this process may open');
    this.inboxes.start();
    this.#stopSampling = this.metrics?.samples.add('pools', this.log, () => this.#samplePools(), 0);
  }

  /** The inbox tables, whose rows are deleted by age. The events of these old rows are not delivered again. */
  get retained(): Retained[] {
    return this.#stores.map(({ schema, rows }) => {
      const expired = expiredInbox(schema, this.config.eventRetentionDays);
      return retainedRows(rows, expired.table, () => expired);
    });
  }

  /** Samples the connection counters of the pools. The counters are in memory, so no statement is sent. */
  async #samplePools(): Promise<void> {
    const pools = (await this.#all()).flatMap(({ database }) => [...database.pools]);
    // pools of different databases may have the same name, for example the pools of the job queues; the counts of pools
    // with the same name are added
    for (const name of new Set(pools.map(([pool]) => pool))) {
      const sum = (count: (pool: PoolCounts) => number): number =>
        pools.filter(([pool]) => pool === name).reduce((total, [, pool]) => total + count(pool), 0);
      this.metrics?.poolConnections.set(
        { pool: name, state: 'idle' },
        sum(({ idleCount }) => idleCount),
      );
      this.metrics?.poolConnections.set(
        { pool: name, state: 'busy' },
        sum(({ totalCount, idleCount }) => totalCount - idleCount),
      );
      this.metrics?.poolWaiting.set(
        { pool: name },
        sum(({ waitingCount }) => waitingCount),
      );
    }
  }

  /** The job queues of all databases. */
  async jobs(): Promise<Jobs[]> {
    return (await this.#all()).map(({ jobs }) => jobs);
  }

  async stopJobs(): Promise<void> {
    this.#stopSampling?.();
    await this.inboxes.stop();
    await Promise.all((await this.#all()).map(({ jobs }) => jobs.stop()));
  }

  async close(): Promise<void> {
    for (const { database } of await this.#all()) await database.close();
  }

  /** Shifts the clock of all job queues. For tests. */
  async shiftJobs(offsetMs: number): Promise<void> {
    for (const { jobs } of await this.#all()) await jobs.shiftClock(offsetMs);
  }

  /**
   * Observes all databases while `act` runs: calls `onStatement` for each statement, and `onRoundTrip` for each message
   * with statements that is sent to a server.
   */
  async observe(act: () => Promise<unknown>, seen: Partial<Pick<Database, 'onStatement' | 'onRoundTrip'>>): Promise<void> {
    const databases = (await this.#all()).map(({ database }) => database);
    for (const database of databases) Object.assign(database, seen);
    try {
      await act();
    } finally {
      for (const database of databases) Object.assign(database, { onStatement: undefined, onRoundTrip: undefined });
    }
  }

  /**
   * Returns the subgraphs of each database. The order of the databases is always the same, so that processes that start
   * at the same time do not deadlock.
   */
  async #byDatabase(): Promise<Map<Database, SubgraphName[]>> {
    const held = new Map<Database, SubgraphName[]>();
    for (const name of SUBGRAPHS) {
      const { database } = await this.#open(databaseUrlsOf(this.config, name));
      held.set(database, [...(held.get(database) ?? []), name]);
    }
    return held;
  }

  #all(): Promise<{ database: Database; jobs: Jobs }[]> {
    return Promise.all(this.#opened.values());
  }

  #open(urls: DatabaseUrls | undefined): Promise<{ database: Database; jobs: Jobs }> {
    const key = urls ? `${urls.url} ${urls.directUrl}` : '';
    const known = this.#opened.get(key);
    if (known) return known;

    const opening = this.#openNew(urls);
    this.#opened.set(key, opening);
    // removed from the map, because a database that could not be opened must not be closed
    opening.catch(() => this.#opened.delete(key));
    return opening;
  }

  async #openNew(urls: DatabaseUrls | undefined): Promise<{ database: Database; jobs: Jobs }> {
    const embedded = { dataDir: join(this.config.dataDir, EMBEDDED_DATABASE), template: this.template };
    const database = await Database.open(
      urls ? { ...urls, poolSize: this.config.databasePoolSize } : embedded,
      this.log,
      this.config.migrate,
    );
    if (isTraced(undefined)) database.onStatement = traceStatement;
    return { database, jobs: new Jobs(database, this.log, this.metrics, this.organizationLog) };
  }
}

/** Returns the host and the database name of a URL, without user and password. */
function shownUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
