import { type ExecutionResult, graphql } from 'graphql';
import { onTestFinished } from 'vitest';
import { type Accounts, Principal } from '../../kernel/access/principal.ts';
import { TestClock } from '../../kernel/clock.ts';
import { type Attached, type Database, drift, type Tables } from '../../kernel/database/database.ts';
import type { Ports, RunningDomain } from '../../kernel/domain.ts';
import { Graph } from '../../kernel/graph.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { SchemaMigrator } from '../../kernel/migrations/migrator.ts';
import { SteppedSchema } from '../../kernel/migrations/stepped-schema.ts';
import { newId } from '../../kernel/records/ids.ts';
import { emptyDatabase } from './empty-database.ts';

export const SECRET_KEY = 'a secret for tests that is long enough';
export const silent = createLogger({ level: 'silent' });

/** Creates a database for one test with the tables of a domain. */
export async function storeFor({ name, entities, migrations }: { name: string } & Omit<Tables, 'schema'>): Promise<Store> {
  const { database, drop } = await emptyDatabase(silent);
  onTestFinished(drop);
  return { ...(await database.attach({ schema: name, entities, migrations })), database };
}

export interface Store extends Attached {
  database: Database;
}

/**
 * Creates a database for one test with the tables that a domain had before a migration. `migrate` runs this migration and all later ones,
 * as a process of the next release does, while the database stays open.
 */
export async function storeBefore(
  { name, migrations, ...tables }: { name: string } & Omit<Tables, 'schema'>,
  migration: string,
): Promise<{ store: Store; migrate(): Promise<unknown> }> {
  const { database, rows } = await storeFor({ name: 'test_probe', entities: [], migrations: [] });
  // the embedded database starts as a copy of a migrated database
  await rows.query(`drop schema if exists "${name}" cascade`, []);
  const end = migrations.findIndex((step) => step.name === migration);
  if (end < 0) throw new Error(`${name} has no migration ${migration}.`);
  const attached = await database.attach({ ...tables, schema: name, migrations: migrations.slice(0, end) });
  const migrator = new SchemaMigrator({ directUrl: database.directUrl, pglite: database.pglite, mode: 'auto', log: silent });
  return { store: { ...attached, database }, migrate: () => migrator.migrate([new SteppedSchema(name, migrations)]) };
}

/**
 * A single domain on its own database, for tests with several processes or with other settings than the rig's.
 */
export abstract class DomainWorld {
  readonly clock = new TestClock();
  readonly organizationId = newId('organization');

  protected constructor(readonly store: Store) {}

  /** The dependencies of a domain. Each process has its own job queue. */
  protected ports(): Ports {
    const { store, clock } = this;
    return { ...store, jobs: new Jobs(store.database, silent), clock, graph: new Graph(), log: silent, origin: 'http://127.0.0.1' };
  }

  /** The SQL statements that would make the schema equal to the entities; empty if they match. */
  drift(): Promise<string> {
    return drift(this.store.orm);
  }

  query<R extends object>(text: string): Promise<R[]> {
    return this.store.rows.query<R>(text, []);
  }
}

/** A process of a domain; several processes share one database. */
export class DomainProcess<R extends RunningDomain = RunningDomain> {
  #isStopped = false;

  constructor(
    protected readonly world: DomainWorld,
    readonly running: R,
    readonly jobs: Jobs,
  ) {}

  /** Starts the process. It runs until it is stopped, or until the test ends. */
  async begin(): Promise<this> {
    await this.jobs.start();
    await this.running.start?.();
    onTestFinished(() => this.stop());
    return this;
  }

  /** Runs a GraphQL operation on the subgraph as an unrestricted caller, or as a caller limited to these accounts. */
  async execute(source: string, variables: Record<string, unknown>, accounts: Accounts = null): Promise<ExecutionResult> {
    // converts variables as a request over HTTP does
    const variableValues = JSON.parse(JSON.stringify(variables)) as Record<string, unknown>;
    const { subgraph } = this.running;
    const principal = Principal.system('test', this.world.organizationId, accounts);
    const contextValue = subgraph.createContext({ requestId: 'req_1', principal, log: silent });
    return graphql({ schema: subgraph.schema, source, variableValues, contextValue });
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.running.stop?.();
    await this.jobs.stop();
  }
}
