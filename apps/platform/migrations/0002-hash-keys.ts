import { migration } from '../../../kernel/migrations/migration.ts';

/** Keys of hashes, which outlive a change of the secret key. Each is encrypted with it. */
export const hashKeys = migration('0002-hash-keys', [
  `create table "platform"."hash_key" (
     "purpose" text primary key,
     "sealed" text not null,
     "created_at" timestamptz(3) not null default now()
   )`,
]);
