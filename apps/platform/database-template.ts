import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SCHEMA_VERSION } from './schemas.ts';

/** Lies in dist/ whether this file runs from there or from source. */
const DIST = new URL(import.meta.url.includes('/dist/') ? '../../' : '../../dist/', import.meta.url);

/**
 * The cluster that embedded databases begin as, with all migrations applied: what copies it starts in two thirds of the time.
 * Made by apps/tools/database-template.ts. The name says which migrations it holds, so that none is taken for that of others;
 * where there is none, a database begins empty.
 */
export const DATABASE_TEMPLATE = fileURLToPath(new URL(`pgdata-${digestOfMigrations()}`, DIST));

function digestOfMigrations(): string {
  return createHash('sha256').update(SCHEMA_VERSION).digest('hex').slice(0, 12);
}
