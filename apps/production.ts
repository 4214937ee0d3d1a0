import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What the build has compiled need not be compiled at each start (apps/tools/warm-cache.ts). */
enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/**
 * Outside production graphql asks at each `instanceof` whether it was loaded twice: nearly half of the time of a federated
 * query. It decides when it is loaded, so this is imported first.
 */
process.env.NODE_ENV ??= 'production';

/** What the platform writes (its database, keys, files, mails) is for its own user alone. */
process.umask(0o077);
