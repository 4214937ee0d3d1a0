import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the log entries of organizations, partitioned by day (UTC). The column `words` contains the words of the message with their
 * positions, and the fields of the entry. The index of this column begins with the organization, so that a search does not read the words
 * of other organizations.
 */
export const logs = migration('0004-logs', [
  'create extension if not exists btree_gin',
  `create table "monitoring"."log_entry" (
     "organization_id" text not null,
     "at" timestamptz(3) not null,
     "id" text not null,
     "service_id" text null,
     "account_id" text null,
     "level" smallint not null,
     "source" text not null,
     "message" text not null,
     "attributes" jsonb not null,
     "request_id" text null,
     "trace_id" text null,
     "words" tsvector not null,
     primary key ("organization_id", "at", "id")
   ) partition by range ("at")`,
  `create index "log_entry_organization_id_service_id_at_id_index" on "monitoring"."log_entry" ("organization_id", "service_id", "at", "id")
     where "service_id" is not null`,
  `create index "log_entry_organization_id_account_id_at_id_index" on "monitoring"."log_entry" ("organization_id", "account_id", "at", "id")
     where "account_id" is not null`,
  `create index "log_entry_organization_id_words_index" on "monitoring"."log_entry" using gin ("organization_id", "words")`,
]);
