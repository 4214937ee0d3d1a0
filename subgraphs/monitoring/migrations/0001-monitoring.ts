import { inboxRetentionIndex, outboxTables, outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the metrics of organizations and their series. A series is a metric with one set of labels, for one service or without a service.
 * Every sample contains the short number of its series. `digest` is a hash of service and labels.
 */
export const monitoringTables = migration('0001-monitoring', [
  ...outboxTables('monitoring'),
  outboxTracing('monitoring'),
  inboxRetentionIndex('monitoring'),
  `create table "monitoring"."metric" (
     "id" int generated always as identity primary key,
     "organization_id" text not null,
     "name" text not null,
     "type" text not null,
     "unit" text null,
     "description" text null,
     "created_at" timestamptz(3) not null,
     constraint "metric_name_unique" unique ("organization_id", "name"),
     constraint "metric_type_check" check ("type" in ('gauge', 'counter', 'histogram'))
   )`,
  `create table "monitoring"."series" (
     "id" int generated always as identity primary key,
     "organization_id" text not null,
     "metric_id" int not null references "monitoring"."metric" ("id") on delete cascade,
     "service_id" text null,
     "account_id" text null,
     "labels" jsonb not null default '{}',
     "digest" bytea not null,
     "is_delta" boolean not null default false,
     "created_at" timestamptz(3) not null,
     constraint "series_digest_unique" unique ("metric_id", "digest")
   )`,
  `create index "series_organization_id_service_id_index" on "monitoring"."series" ("organization_id", "service_id", "metric_id")`,
  `create index "series_organization_id_account_id_index" on "monitoring"."series" ("organization_id", "account_id", "metric_id")`,
]);
