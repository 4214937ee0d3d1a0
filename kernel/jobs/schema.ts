import { getConstructionPlans, getMigrationPlans } from 'pg-boss';
import packageJson from 'pg-boss/package.json' with { type: 'json' };
import { SchemaError } from '../migrations/schema-error.ts';
import type { Session } from '../migrations/session.ts';
import type { SchemaUpgrade, VersionedSchema } from '../migrations/versioned-schema.ts';

export const JOB_SCHEMA = 'pgboss';

export const JOB_SCHEMA_VERSION: number = packageJson.pgboss.schema;

/**
 * The schema of the job queue. pg-boss assigns its version, and does not promise that an older pg-boss works with a
 * newer schema.
 */
export const jobSchema: VersionedSchema = {
  schema: JOB_SCHEMA,
  async inspect(session) {
    const version = await versionOf(session);
    if (version === JOB_SCHEMA_VERSION) return undefined;
    if (version === undefined) return upgrade('nothing', getConstructionPlans(JOB_SCHEMA));
    if (version < JOB_SCHEMA_VERSION) return upgrade(String(version), getMigrationPlans(JOB_SCHEMA, version));
    throw new SchemaError(
      `The schema ${JOB_SCHEMA} of this database has the version ${version}, which is newer than ${JOB_SCHEMA_VERSION} of this release. Start a release that knows it. See Upgrade in docs/operations.md.`,
    );
  },
};

/**
 * Creates the upgrade of the job schema from the version `from` to the current version. `plans` contains the SQL of
 * pg-boss, which begins and commits its own transactions.
 */
const upgrade = (from: string, plans: string): SchemaUpgrade => ({
  schema: JOB_SCHEMA,
  from,
  to: String(JOB_SCHEMA_VERSION),
  apply: (session) => session.execute(plans),
});

async function versionOf(session: Session): Promise<number | undefined> {
  const [found] = await session.query<{ there: boolean }>('select to_regclass($1) is not null as there', [`${JOB_SCHEMA}.version`]);
  if (!found?.there) return undefined;
  const [row] = await session.query<{ version: number }>(`select version from ${JOB_SCHEMA}.version`);
  return row?.version;
}
