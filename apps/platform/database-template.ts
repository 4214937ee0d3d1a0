import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SCHEMA_VERSION } from './schemas.ts';

/** The folder dist/, whether this file runs from there or from source. */
const DIST = new URL(import.meta.url.includes('/dist/') ? '../../' : '../../dist/', import.meta.url);

/**
 * A database cluster with all migrations applied, which new embedded databases are copied from: this cuts their start time by a third.
 * Created by apps/tools/database-template.ts. Its name contains a digest of the migrations, so that a template of other migrations is never
 * used. Without a template, a database begins empty.
 */
export const DATABASE_TEMPLATE = fileURLToPath(new URL(`pgdata-${digestOfMigrations()}`, DIST));

function digestOfMigrations(): string {
  return createHash('sha256').update(SCHEMA_VERSION).digest('hex').slice(0, 12);
}
