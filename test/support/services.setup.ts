import { Redis } from 'ioredis';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** What `npm run test:services` runs on: one empty database for each worker, and one Redis. Undefined in `npm test`. */
    services: { databaseUrls: string[]; redisUrl: string } | undefined;
  }
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Makes the databases of this run and drops them afterwards; one clear line when a service is missing. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseUrl = required('TEST_DATABASE_URL');
  const redisUrl = required('TEST_REDIS_URL');
  await reach('Redis', 'TEST_REDIS_URL', () => pingRedis(redisUrl));

  const run = `platform_test_${process.pid}_${Date.now().toString(36)}`;
  const names = Array.from({ length: project.config.maxWorkers }, (_, index) => `${run}_${index + 1}`);
  await reach('PostgreSQL', 'TEST_DATABASE_URL', () =>
    runSql(
      databaseUrl,
      names.map((name) => `create database ${name}`),
    ),
  );
  project.provide('services', { redisUrl, databaseUrls: names.map((name) => withDatabase(databaseUrl, name)) });

  return async () =>
    runSql(
      databaseUrl,
      (await databasesNamed(databaseUrl, run)).map((name) => `drop database if exists ${name} with (force)`),
    );
}

/** Those of the workers, and those that tests made for platforms of their own. */
async function databasesNamed(url: string, prefix: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    return rows.map(({ datname }) => datname);
  } finally {
    await client.end();
  }
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

async function runSql(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
