import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 optimize functions of the embedded database (WebAssembly) ten times later than by default: the compiler threads took a fifth of
 * the start's processor time. The compile cache depends on V8's flags, so this must come before it is enabled.
 */
setFlagsFromString('--wasm-tiering-budget=130000000');

/** Uses the compile cache of the build (apps/tools/warm-cache.ts), so that a start compiles nothing again. */
enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/**
 * Outside production, graphql checks at each `instanceof` whether it was loaded twice, which takes nearly half of the time of a federated
 * query. It reads NODE_ENV when it is loaded, so this file is imported first.
 */
process.env.NODE_ENV ??= 'production';

/** Files that the platform writes (database, keys, attachments, mails) are accessible to its own system user only. */
process.umask(0o077);
