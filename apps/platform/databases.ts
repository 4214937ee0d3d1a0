import { join } from 'node:path';
import { type Config, databaseUrlOf } from '../../kernel/config.ts';
import { type Attached, Database, type Tables } from '../../kernel/database.ts';
import { Jobs } from '../../kernel/jobs.ts';
import type { Logger } from '../../kernel/log.ts';

/** Where a domain keeps its records: the database, its part in it, and the jobs that its transactions enqueue. */
export interface Store extends Attached {
  schema: string;
  database: Database;
  jobs: Jobs;
}

/** The databases of the process: one in the embedded mode, else one for each server that the settings name. */
export class Databases {
  readonly #opened = new Map<string, Promise<{ database: Database; jobs: Jobs }>>();

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    /** What the embedded database begins as. */
    private readonly template?: string,
  ) {}

  /** Opens the database of a domain, if none of the others has, and brings its schema up to date. */
  async storeOf(tables: Tables): Promise<Store> {
    const { database, jobs } = await this.#open(databaseUrlOf(this.config, tables.schema));
    return { schema: tables.schema, database, jobs, ...(await database.attach(tables)) };
  }

  async startJobs(): Promise<void> {
    for (const { jobs } of await this.#all()) await jobs.start();
  }

  async stopJobs(): Promise<void> {
    await Promise.all((await this.#all()).map(({ jobs }) => jobs.stop()));
  }

  async close(): Promise<void> {
    for (const { database } of await this.#all()) await database.close();
  }

  /** Moves the clock of every job queue, for tests. */
  async shiftJobs(offsetMs: number): Promise<void> {
    for (const { jobs } of await this.#all()) await jobs.shiftClock(offsetMs);
  }

  /** Hears of each statement that records are read and written with while `act` runs, whoever makes it. */
  async observe(act: () => Promise<unknown>, onStatement: (sql: string) => void): Promise<void> {
    const databases = (await this.#all()).map(({ database }) => database);
    for (const database of databases) database.onStatement = onStatement;
    try {
      await act();
    } finally {
      for (const database of databases) database.onStatement = undefined;
    }
  }

  #all(): Promise<{ database: Database; jobs: Jobs }[]> {
    return Promise.all(this.#opened.values());
  }

  #open(url: string | undefined): Promise<{ database: Database; jobs: Jobs }> {
    const key = url ?? '';
    const known = this.#opened.get(key);
    if (known) return known;

    const opening = this.#openNew(url);
    this.#opened.set(key, opening);
    // one that failed to open is nothing to close
    opening.catch(() => this.#opened.delete(key));
    return opening;
  }

  async #openNew(url: string | undefined): Promise<{ database: Database; jobs: Jobs }> {
    const embedded = { dataDir: join(this.config.dataDir, 'postgres'), template: this.template };
    const database = await Database.open(url ? { url, poolSize: this.config.databasePoolSize } : embedded, this.log);
    return { database, jobs: new Jobs(database, this.log) };
  }
}
