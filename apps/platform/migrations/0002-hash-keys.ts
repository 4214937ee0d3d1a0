import { migration } from '../../../kernel/migrations/migration.ts';

/** Hash keys, which stay the same when the secret key changes. Each is encrypted with the secret key. */
export const hashKeys = migration('0002-hash-keys', [
  `create table "platform"."hash_key" (
     "purpose" text primary key,
     "sealed" text not null,
     "created_at" timestamptz(3) not null default now()
   )`,
]);
