import '../production.ts';
import { spawnSync } from 'node:child_process';
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const PROGRAMS = new URL('../../programs/', import.meta.url);

/**
 * Loads the bundled programs once, which fills the compile cache in dist/compile-cache. This is part of `npm run
 * build`.
 */
for (const name of ['platform.js', 'router.js']) {
  spawnSync(process.execPath, [fileURLToPath(new URL(name, PROGRAMS)), '--help'], { stdio: 'ignore' });
}
await import(new URL('assemble.js', PROGRAMS).href);
flushCompileCache();
process.exit(0);
