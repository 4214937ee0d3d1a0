import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * Optimizes a function of the embedded database after ten times as much work in it as V8 does by itself: the compiler's threads took
 * a fifth of the processor time of a start. Compiled code is stored by V8's flags, so this comes before its cache.
 */
setFlagsFromString('--wasm-tiering-budget=130000000');

/** Uses the compiled code that the build has stored (apps/tools/warm-cache.ts): a start need not compile it again. */
enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/**
 * Outside production graphql asks at each `instanceof` whether it was loaded twice: nearly half of the time of a federated
 * query. It decides when it is loaded, so this is imported first.
 */
process.env.NODE_ENV ??= 'production';

/** Only the platform's own system user may read the files that it writes: database, keys, attachments, mails. */
process.umask(0o077);
