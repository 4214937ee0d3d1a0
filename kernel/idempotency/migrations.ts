import { migration } from '../migrations/migration.ts';

/**
 * Creates the table in the schema `bridge`, which got its name when only the REST bridge used the table. The statements
 * contain `if not exists`, because releases before 1.3 created the table at each startup, without a migration.
 */
const idempotency = migration('0001-idempotency', [
  `create table if not exists bridge.idempotency_key (
     organization_id text not null,
     caller_id text not null,
     key text not null,
     fingerprint text not null,
     lease text not null,
     leased_until timestamptz not null,
     created_at timestamptz not null default now(),
     status int null,
     headers jsonb null,
     body text null,
     primary key (organization_id, caller_id, key)
   )`,
  'create index if not exists idempotency_key_created_at_index on bridge.idempotency_key (created_at)',
]);

/** The migrations in the order in which they run. */
export const idempotencyMigrations = [idempotency];
