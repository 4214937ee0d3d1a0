import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 optimize functions of the embedded database (WebAssembly) ten times later than by default. The reason is
 * that the compiler threads took 20 % of the processor time of the start. The compile cache depends on V8's flags, so
 * the flag must be set before the cache is enabled.
 */
setFlagsFromString('--wasm-tiering-budget=130000000');

/**
 * Uses the compile cache that the build created (apps/tools/warm-cache.ts), so that the start does not compile the
 * program again.
 */
enableCompileCache(fileURLToPath(new URL('../compile-cache', import.meta.url)));

/**
 * Sets production mode. In other modes, the package `graphql` checks at each `instanceof` whether the package was
 * loaded twice. This check takes nearly half of the time of a federated query. The package reads NODE_ENV when it is
 * loaded, so this file must be imported first.
 */
process.env.NODE_ENV ??= 'production';

/**
 * Makes the files that the platform writes (database, keys, attachments, mails) accessible only to the system user of
 * this process.
 */
process.umask(0o077);
