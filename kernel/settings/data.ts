import { setting, text, url, wholeNumber } from './setting.ts';

const databaseUrl = url(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');

/** Each may have a database of its own. */
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

const ownDatabases = Object.fromEntries(SUBGRAPHS.map((name) => [`${name}DatabaseUrl`, ownDatabase(name)])) as {
  [Name in SubgraphName as `${Name}DatabaseUrl`]: ReturnType<typeof ownDatabase>;
};

/** Where the platform keeps what it knows. */
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
      'PostgreSQL 15 or later to use instead of the embedded database. Its user creates schemas there, and the extensions btree_gin and pg_trgm (which need no more than that) unless they exist.',
    schema: databaseUrl,
    otherwise: 'embedded, in DATA_DIR',
    secret: true,
  }),
  databasePoolSize: setting({
    name: 'DATABASE_POOL_SIZE',
    about:
      'Connections that a process opens to PostgreSQL at most, for each subgraph; jobs, notifications and short reads have up to eleven more.',
    schema: wholeNumber(1, 200),
    fallback: '5',
  }),
  ...ownDatabases,
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
} as const;
