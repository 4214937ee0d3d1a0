import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';

/**
 * Extensions that migrations may create. PGlite must always be opened with them. On a server they must be trusted
 * extensions, because the owner of a database may create only trusted extensions.
 */
export const EXTENSIONS = { btree_gin, pg_trgm, unaccent };
