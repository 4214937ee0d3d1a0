import { z } from 'zod';
import { setting, text, url, wholeNumber } from './setting.ts';

const databaseUrl = url(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');

/** Whether a start upgrades old database schemas, or refuses to start. */
export const MIGRATE_MODES = ['auto', 'never'] as const;
export type MigrateMode = (typeof MIGRATE_MODES)[number];

/** The subgraphs; each may have its own database. */
export const SUBGRAPHS = ['identity', 'services', 'billing', 'support', 'events'] as const;
export type SubgraphName = (typeof SUBGRAPHS)[number];

const ownDatabase = (subgraph: SubgraphName) =>
  setting({
    name: `${subgraph.toUpperCase()}_DATABASE_URL`,
    about: `A PostgreSQL database of its own for the ${subgraph} subgraph.`,
    schema: databaseUrl,
    otherwise: 'in DATABASE_URL',
    secret: true,
  });

const ownDirectUrl = (subgraph: SubgraphName) =>
  setting({
    name: `${subgraph.toUpperCase()}_DATABASE_DIRECT_URL`,
    about: `What DATABASE_DIRECT_URL is to DATABASE_URL, for the database of the ${subgraph} subgraph.`,
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

/** Settings of storage. */
export const dataSettings = {
  dataDir: setting({
    name: 'DATA_DIR',
    option: 'data',
    about: 'Folder of the embedded database and the generated secret.',
    schema: text,
    fallback: './data',
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    option: 'database-url',
    about:
      'PostgreSQL 15 or later to use instead of the embedded database. Its user creates schemas there, and the extensions btree_gin, pg_trgm and unaccent (which need no more than that) unless they exist.',
    schema: databaseUrl,
    otherwise: 'embedded, in DATA_DIR',
    secret: true,
  }),
  databaseDirectUrl: setting({
    name: 'DATABASE_DIRECT_URL',
    about:
      'The same database past a connection pooler. Needed where DATABASE_URL leads to one that gives a connection to each transaction (PgBouncer with pool_mode = transaction): migrations, LISTEN and prepared statements take this one.',
    schema: databaseUrl,
    otherwise: 'DATABASE_URL',
    secret: true,
  }),
  databasePoolSize: setting({
    name: 'DATABASE_POOL_SIZE',
    about: 'Connections that a process opens to PostgreSQL at most, for each subgraph; jobs, notifications and short reads have six more.',
    schema: wholeNumber(1, 200),
    fallback: '5',
  }),
  ...ownDatabases,
  migrate: setting({
    name: 'MIGRATE',
    option: 'migrate',
    about:
      'auto brings the schemas of its databases up to date at the start, one process at a time; never refuses to start where they are older: npm run migrate does it then.',
    schema: z.enum(MIGRATE_MODES, `must be one of ${MIGRATE_MODES.join(', ')}`),
    fallback: 'auto',
  }),
  redisUrl: setting({
    name: 'REDIS_URL',
    option: 'redis-url',
    about: 'Redis for the rate limits that the processes of one platform share; another platform takes another database of it (/1).',
    schema: url(['redis:', 'rediss:'], 'redis://host:6379'),
    otherwise: 'kept in the process',
    secret: true,
  }),
  secretKey: setting({
    name: 'SECRET_KEY',
    about: 'At least 32 characters; signs between processes and encrypts secrets at rest. Needed with DATABASE_URL.',
    schema: text.min(32, 'must have at least 32 characters'),
    otherwise: 'generated once, kept in DATA_DIR',
    secret: true,
  }),
  secretKeyFallback: setting({
    name: 'SECRET_KEY_FALLBACK',
    about:
      'While SECRET_KEY is being changed: the other key. It opens what was encrypted with it and encrypts nothing; see The secret key in docs/operations.md.',
    schema: text.min(32, 'must have at least 32 characters'),
    secret: true,
  }),
} as const;
