import '../production.ts';
import { flushCompileCache } from 'node:module';

/** Loads the bundled platform once, so that what its modules compile to lies in dist/compile-cache: part of `npm run build`. */
await import(new URL('../../programs/assemble.js', import.meta.url).href);
flushCompileCache();
process.exit(0);
