import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import { createDatabase, dropDatabases, scratchName } from '../../bench/scratch-database.ts';
import { TEST_SECRET_KEY } from './own-database.ts';
import { PgBouncer } from './pgbouncer.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The services for `npm run test:services`: one empty database for each worker, whose name begins the names of the databases that
     * its tests create, and one Redis. `template` is the name of a database with all migrations. `pooler` is the host and port of
     * PgBouncer in `npm run test:pooled`. Undefined in `npm test`.
     */
    services: { databaseUrls: string[]; template: string; redisUrl: string; pooler: string | undefined } | undefined;
  }
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Creates the databases of this run and drops them afterwards. Fails with one line if a service is unavailable. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseUrl = required('TEST_DATABASE_URL');
  const redisUrl = required('TEST_REDIS_URL');
  await reach('Redis', 'TEST_REDIS_URL', () => pingRedis(redisUrl));

  const run = scratchName('platform_test');
  const names = Array.from({ length: project.config.maxWorkers }, (_, index) => `${run}_${index + 1}`);
  const databaseUrls: string[] = [];
  await reach('PostgreSQL', 'TEST_DATABASE_URL', async () => {
    for (const name of names) databaseUrls.push(await createDatabase(databaseUrl, name));
  });
  const template = `${run}_template`;
  await migrate(await createDatabase(databaseUrl, template));
  const pooler = project.vite.config.mode === 'pooled' ? await PgBouncer.start(databaseUrl) : undefined;
  project.provide('services', { redisUrl, databaseUrls, template, pooler: pooler?.host });

  return async () => {
    await pooler?.[Symbol.asyncDispose]();
    // the databases of the workers, and databases that tests created with the same prefix
    await dropDatabases(databaseUrl, run);
  };
}

/** Runs all migrations on a database as an operator does. */
async function migrate(databaseUrl: string): Promise<void> {
  const program = fileURLToPath(new URL('../../dist/programs/migrate.js', import.meta.url));
  await promisify(execFile)(process.execPath, [program], {
    env: { ...process.env, DATABASE_URL: databaseUrl, SECRET_KEY: TEST_SECRET_KEY },
  });
}

function required(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set. npm run test:services needs TEST_DATABASE_URL and TEST_REDIS_URL; npm test needs neither.`);
  return value;
}

async function reach(service: string, setting: string, attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (cause) {
    const reason = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : String(cause);
    throw new Error(`${service} at ${setting} cannot be used: ${reason}`, { cause });
  }
}

async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, connectTimeout: CONNECT_TIMEOUT_MS });
  redis.on('error', () => {}); // connect() rejects with the same error
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
