import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SCHEMA_VERSION } from './schemas.ts';

/** URL of the folder dist/. This file may run from dist/ or from source. */
const DIST = new URL(import.meta.url.includes('/dist/') ? '../../' : '../../dist/', import.meta.url);

/**
 * Path of the template: a database cluster with all migrations applied, created by apps/tools/database-template.ts. New
 * embedded databases are copied from the template, which shortens their first start by a third. The path contains a
 * digest of the migrations, so that a template with other migrations is never used. If there is no template, a new
 * database starts empty.
 */
export const DATABASE_TEMPLATE = fileURLToPath(new URL(`pgdata-${digestOfMigrations()}`, DIST));

function digestOfMigrations(): string {
  return createHash('sha256').update(SCHEMA_VERSION).digest('hex').slice(0, 12);
}
