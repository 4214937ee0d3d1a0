import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds a table with one row. The row contains a text that only the platform's secret key can decrypt. */
export const secretKey = migration('0001-secret-key', [
  `create table "platform"."secret_key_check" (
     "only" boolean primary key default true check ("only"),
     "sealed" text not null,
     "created_at" timestamptz(3) not null default now()
   )`,
]);
