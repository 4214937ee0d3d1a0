import type { PGlite } from '@electric-sql/pglite';
import type { Logger } from '../log/log.ts';
import type { MigrateMode } from '../settings/data.ts';
import { stopCompiling } from './compilation.ts';
import { SchemaError } from './schema-error.ts';
import { Scratch } from './scratch.ts';
import { embeddedSession, type Session, serverSession } from './session.ts';
import type { SchemaUpgrade, VersionedSchema } from './versioned-schema.ts';

/**
 * Id of an advisory lock: an arbitrary number, the same in every release. A process holds this lock while it changes
 * schemas of a database.
 */
const MIGRATION_LOCK = 4_201_002;

export interface MigratorParts {
  /**
   * URL of the server without a pooler, because the migration lock belongs to a database session. Undefined for the
   * embedded database, which only one process uses.
   */
  directUrl: string | undefined;
  pglite: PGlite | undefined;
  mode: MigrateMode;
  log: Logger;
}

/**
 * Brings the schemas of one database up to date, one process at a time. It inspects all schemas before it changes any
 * of them.
 */
export class SchemaMigrator {
  constructor(private readonly parts: MigratorParts) {}

  /**
   * Lists the upgrades that `migrate` would apply.
   * @throws SchemaError if this release cannot work with a schema
   */
  async upgrades(schemas: readonly VersionedSchema[]): Promise<SchemaUpgrade[]> {
    await using session = await this.#open();
    return await inspected(session, schemas);
  }

  /**
   * Brings the schemas up to date. Returns the applied upgrades.
   * @throws SchemaError if this release cannot work with a schema, or if a schema is not up to date and the setting
   * MIGRATE is `never`
   */
  async migrate(schemas: readonly VersionedSchema[]): Promise<SchemaUpgrade[]> {
    const { mode, log, pglite } = this.parts;
    await using session = await this.#open();
    if (!pglite && mode !== 'never') await stopCompiling(session, log);
    // on most starts, the schemas are up to date, and no lock is needed
    const isDone = await inspected(session, schemas).then(
      (found) => found.length === 0,
      () => false,
    );
    if (isDone) return [];
    if (mode === 'never') throw new SchemaError(refusal(await inspected(session, schemas)));
    if (!pglite) await lock(session, log);
    const upgrades = await inspected(session, schemas);
    await using scratch = new Scratch();
    for (const { verify } of upgrades) await verify?.(session, scratch);
    for (const { apply } of upgrades) await apply(session, log);
    return upgrades;
  }

  #open(): Promise<Session> {
    const { directUrl, pglite } = this.parts;
    return pglite ? Promise.resolve(embeddedSession(pglite)) : serverSession(directUrl ?? '');
  }
}

async function inspected(session: Session, schemas: readonly VersionedSchema[]): Promise<SchemaUpgrade[]> {
  const found: SchemaUpgrade[] = [];
  for (const one of schemas) {
    const upgrade = await one.inspect(session);
    if (upgrade) found.push(upgrade);
  }
  return found;
}

/** Waits for the migration lock and takes it. The lock is released when the session is closed after the migration. */
async function lock(session: Session, log: Logger): Promise<void> {
  const [row] = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
  if (row?.taken) return;
  log.info('Another process is bringing the database up to date: waiting for it');
  await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
}

const refusal = (upgrades: readonly SchemaUpgrade[]): string => {
  const versions = upgrades.map(({ schema, from, to }) => `the schema ${schema} is at ${from}, this release needs ${to}`);
  return `The database is older than this release, and MIGRATE is never: ${versions.join('; ')}. Run npm run migrate.`;
};
