import { z } from 'zod';
import { setting, text, url, wholeNumber } from './setting.ts';

const databaseUrl = url(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');

/**
 * `auto`: the platform upgrades old database schemas when it starts. `never`: it refuses to start with an old schema.
 */
export const MIGRATE_MODES = ['auto', 'never'] as const;
export type MigrateMode = (typeof MIGRATE_MODES)[number];

/** The subgraphs; each may have its own database. */
export const SUBGRAPHS = ['identity', 'services', 'billing', 'support', 'monitoring', 'events'] as const;
export type SubgraphName = (typeof SUBGRAPHS)[number];

const ownDatabase = (subgraph: SubgraphName) =>
  setting({
    name: `${subgraph.toUpperCase()}_DATABASE_URL`,
    about: `URL of a separate PostgreSQL database for the ${subgraph} subgraph.`,
    schema: databaseUrl,
    otherwise: 'in DATABASE_URL',
    secret: true,
  });

const ownDirectUrl = (subgraph: SubgraphName) =>
  setting({
    name: `${subgraph.toUpperCase()}_DATABASE_DIRECT_URL`,
    about: `URL of the same database as ${subgraph.toUpperCase()}_DATABASE_URL, without a connection pooler. See DATABASE_DIRECT_URL.`,
    schema: databaseUrl,
    otherwise: `${subgraph.toUpperCase()}_DATABASE_URL`,
    secret: true,
  });

type OwnDatabases = { [Name in SubgraphName as `${Name}DatabaseUrl`]: ReturnType<typeof ownDatabase> } & {
  [Name in SubgraphName as `${Name}DatabaseDirectUrl`]: ReturnType<typeof ownDirectUrl>;
};
const ownDatabases = Object.fromEntries(
  SUBGRAPHS.flatMap((name) => [
    [`${name}DatabaseUrl`, ownDatabase(name)],
    [`${name}DatabaseDirectUrl`, ownDirectUrl(name)],
  ]),
) as OwnDatabases;

/** Settings of databases and other storage. */
export const dataSettings = {
  dataDir: setting({
    name: 'DATA_DIR',
    option: 'data',
    about: 'Folder of the embedded database, the generated secret key, and files.',
    schema: text,
    fallback: './data',
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    option: 'database-url',
    about:
      'URL of a PostgreSQL database (version 15 or later) to use instead of the embedded database. The user in the URL must be allowed to create schemas. If the extensions btree_gin, pg_trgm and unaccent are missing, the platform creates them as this user.',
    schema: databaseUrl,
    otherwise: 'embedded, in DATA_DIR',
    secret: true,
  }),
  databaseDirectUrl: setting({
    name: 'DATABASE_DIRECT_URL',
    about:
      'URL of the same database as DATABASE_URL, without a connection pooler. Required if DATABASE_URL leads to a pooler in transaction mode (PgBouncer with pool_mode = transaction). Migrations, LISTEN and prepared statements use this URL.',
    schema: databaseUrl,
    otherwise: 'DATABASE_URL',
    secret: true,
  }),
  databasePoolSize: setting({
    name: 'DATABASE_POOL_SIZE',
    about:
      'Maximum number of PostgreSQL connections of a process for each subgraph. Jobs, notifications and short reads use six more connections.',
    schema: wholeNumber(1, 200),
    fallback: '5',
  }),
  ...ownDatabases,
  migrate: setting({
    name: 'MIGRATE',
    option: 'migrate',
    about:
      'With auto, the start upgrades the database schemas, one process at a time. With never, the platform refuses to start if the schemas are not up to date: run npm run migrate first.',
    schema: z.enum(MIGRATE_MODES, `must be one of ${MIGRATE_MODES.join(', ')}`),
    fallback: 'auto',
  }),
  redisUrl: setting({
    name: 'REDIS_URL',
    option: 'redis-url',
    about:
      'URL of the Redis database for the rate limits that all processes of one platform share. Each platform needs its own Redis database: the number at the end of the URL, such as /1, selects it.',
    schema: url(['redis:', 'rediss:'], 'redis://host:6379'),
    otherwise: 'each process counts separately',
    secret: true,
  }),
  secretKey: setting({
    name: 'SECRET_KEY',
    about:
      'Secret of at least 32 characters that encrypts stored secrets and signs requests between processes. Required with DATABASE_URL.',
    schema: text.min(32, 'must have at least 32 characters'),
    otherwise: 'generated once, stored in DATA_DIR',
    secret: true,
  }),
  secretKeyFallback: setting({
    name: 'SECRET_KEY_FALLBACK',
    about:
      'Second secret key while SECRET_KEY is being changed. It only decrypts data that was encrypted with it. See "The secret key" in docs/operations.md.',
    schema: text.min(32, 'must have at least 32 characters'),
    secret: true,
  }),
} as const;
