import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';

/**
 * What migrations may `create extension`. PGlite brings only those that it is opened with, and needs them each time after. On a
 * server they must be trusted ones, which the owner of a database may create.
 */
export const EXTENSIONS = { btree_gin, pg_trgm, unaccent };
