import { idempotencyMigrations } from '../../kernel/idempotency/migrations.ts';
import { JOB_SCHEMA_VERSION, jobSchema } from '../../kernel/jobs/schema.ts';
import type { MigrationStep } from '../../kernel/migrations/migration.ts';
import { SteppedSchema } from '../../kernel/migrations/stepped-schema.ts';
import type { VersionedSchema } from '../../kernel/migrations/versioned-schema.ts';
import { SUBGRAPHS, type SubgraphName } from '../../kernel/settings/data.ts';
import { domains } from './domains.ts';
import { migrations as platformSteps } from './migrations/index.ts';

/** The steps of every schema that the platform keeps in its databases; the job queue's, which is pg-boss's own, is not among them. */
export const STEPS: Readonly<Record<SubgraphName | 'bridge' | 'platform', readonly MigrationStep[]>> = {
  ...(Object.fromEntries(SUBGRAPHS.map((name) => [name, domains[name].migrations])) as Record<SubgraphName, readonly MigrationStep[]>),
  bridge: idempotencyMigrations,
  platform: platformSteps,
};

/** The schemas of a database that holds these subgraphs. Kept responses lie with identity, what every database needs in all. */
export function schemasOf(subgraphs: readonly SubgraphName[]): VersionedSchema[] {
  const names = [...subgraphs, ...(subgraphs.includes('identity') ? (['bridge'] as const) : []), 'platform' as const];
  return [...names.map((name) => new SteppedSchema(name, STEPS[name])), jobSchema];
}

/** Differs where a database that is up to date would be another one. */
export const SCHEMA_VERSION: string = JSON.stringify([STEPS, JOB_SCHEMA_VERSION]);
