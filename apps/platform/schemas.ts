import { idempotencyMigrations } from '../../kernel/idempotency/migrations.ts';
import { JOB_SCHEMA_VERSION, jobSchema } from '../../kernel/jobs/schema.ts';
import type { MigrationStep } from '../../kernel/migrations/migration.ts';
import { SteppedSchema } from '../../kernel/migrations/stepped-schema.ts';
import type { VersionedSchema } from '../../kernel/migrations/versioned-schema.ts';
import { SUBGRAPHS, type SubgraphName } from '../../kernel/settings/data.ts';
import { domains } from './domains.ts';
import { migrations as platformSteps } from './migrations/index.ts';

/** Migrations of all database schemas except the schema of the job queue, which pg-boss migrates itself. */
export const STEPS: Readonly<Record<SubgraphName | 'bridge' | 'platform', readonly MigrationStep[]>> = {
  ...(Object.fromEntries(SUBGRAPHS.map((name) => [name, domains[name].migrations])) as Record<SubgraphName, readonly MigrationStep[]>),
  bridge: idempotencyMigrations,
  platform: platformSteps,
};

/**
 * Returns the schemas of a database that contains these subgraphs. The schema `bridge` (stored REST responses) is in
 * the database of identity. The schema `platform` is in every database.
 */
export function schemasOf(subgraphs: readonly SubgraphName[]): VersionedSchema[] {
  const names = [...subgraphs, ...(subgraphs.includes('identity') ? (['bridge'] as const) : []), 'platform' as const];
  return [...names.map((name) => new SteppedSchema(name, STEPS[name])), jobSchema];
}

/** Text that identifies the newest version of all schemas. It changes whenever a migration is added. */
export const SCHEMA_VERSION: string = JSON.stringify([STEPS, JOB_SCHEMA_VERSION]);
