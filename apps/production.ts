import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Uses the compiled code that the build has stored (apps/tools/warm-cache.ts): a start need not compile it again. */
enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/**
 * Outside production graphql asks at each `instanceof` whether it was loaded twice: nearly half of the time of a federated
 * query. It decides when it is loaded, so this is imported first.
 */
process.env.NODE_ENV ??= 'production';

/** Only the platform's own system user may read the files that it writes: database, keys, attachments, mails. */
process.umask(0o077);
