import { migration } from '../../../kernel/migrations/migration.ts';

const IN_SERVICE = "'operational', 'degraded', 'down', 'maintenance'";

/**
 * Adds the measurements of services. Measuring starts as soon as a service is in service. A trigger starts it, so that
 * it also starts for services that the previous release provisions on this schema. The first due time is in the distant
 * past, because the clock of the database may differ from the clock of the platform.
 */
export const samples = migration('0017-samples', [
  `create table "services"."service_sample" (
     "organization_id" text not null,
     "service_id" text not null,
     "site_id" text not null,
     "at" timestamptz(3) not null,
     "state" text not null,
     "latency_ms" double precision null,
     "bandwidth_utilization" double precision null,
     "packet_loss" double precision null,
     "jitter_ms" double precision null,
     "security_incidents" integer not null,
     "transferred_bytes" bigint null,
     primary key ("service_id", "site_id", "at")
   ) partition by range ("at")`,
  `create index "service_sample_organization_index" on "services"."service_sample" ("organization_id")`,
  `create table "services"."service_sample_day" (
     "organization_id" text not null,
     "service_id" text not null,
     "day" date not null,
     "samples" integer not null,
     "transferred_bytes" bigint not null,
     primary key ("service_id", "day")
   )`,
  `create index "service_sample_day_organization_index" on "services"."service_sample_day" ("organization_id", "day")`,
  `create index "service_sample_day_retention_index" on "services"."service_sample_day" ("day")`,
  `create table "services"."service_measurement" (
     "service_id" text primary key,
     "organization_id" text not null,
     "due_at" timestamptz(3) not null,
     "measured_at" timestamptz(3) null,
     "counter" double precision null,
     "usage_from" timestamptz(3) null,
     "alerts" jsonb not null default '{}'
   )`,
  `create index "service_measurement_due_index" on "services"."service_measurement" ("due_at")`,
  `create index "service_measurement_organization_index" on "services"."service_measurement" ("organization_id")`,
  `alter table "services"."service" add column "down_since" timestamptz(3) null`,
  `create function "services"."begin_measurement"() returns trigger language plpgsql as
     $$ begin
       insert into "services"."service_measurement" ("service_id", "organization_id", "due_at")
         values (new."id", new."organization_id", 'epoch') on conflict ("service_id") do nothing;
       return null;
     end $$`,
  `create trigger "service_measured" after insert or update of "status" on "services"."service" for each row
     when (new."status" in (${IN_SERVICE})) execute function "services"."begin_measurement"()`,
  `insert into "services"."service_measurement" ("service_id", "organization_id", "due_at")
     select "id", "organization_id", 'epoch' from "services"."service" where "status" in (${IN_SERVICE})`,
]);
