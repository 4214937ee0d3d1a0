import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the table of hash keys. A hash key is encrypted with the secret key, and stays the same when the secret key
 * changes.
 */
export const hashKeys = migration('0002-hash-keys', [
  `create table "platform"."hash_key" (
     "purpose" text primary key,
     "sealed" text not null,
     "created_at" timestamptz(3) not null default now()
   )`,
]);
