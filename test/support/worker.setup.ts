import 'reflect-metadata';
import { inject } from 'vitest';

// These variables select the services of the tests. `npm test` uses PGlite and memory, whatever the shell has set.
const services = inject('services');
const worker = Number(process.env.VITEST_POOL_ID ?? 1);
setOrDelete('TEST_DATABASE_URL', services?.databaseUrls[(worker - 1) % services.databaseUrls.length]);
setOrDelete('TEST_DATABASE_TEMPLATE', services?.template);
setOrDelete('TEST_REDIS_URL', services?.redisUrl);
setOrDelete('TEST_POOLER', services?.pooler);

function setOrDelete(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
