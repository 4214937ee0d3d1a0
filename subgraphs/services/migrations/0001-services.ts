import { outboxTables } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

const STATUSES =
  "'pending', 'provisioning', 'operational', 'degraded', 'down', 'maintenance', 'decommissioning', 'decommissioned', 'failed'";

export const services = migration('0001-services', [
  ...outboxTables('services'),
  `create table "services"."service" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "type" text not null,
     "service_type" text not null,
     "catalog_id" text not null,
     "name" text not null,
     "status" text not null default 'pending',
     "status_reason" text null,
     "bandwidth_mbps" int null,
     "location" jsonb null,
     "sla" text null,
     "billing_cycle" text not null,
     "monthly_price" numeric(18,4) not null,
     "currency" text not null,
     "configuration" jsonb not null,
     "provider" text null,
     "provider_reference" text null,
     "provisioning_failures" int not null default 0,
     "last_incident_at" timestamptz(3) null,
     "provisioned_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "service_organization_id_created_at_id_index" on "services"."service" ("organization_id", "created_at", "id")`,
  `create index "service_organization_id_account_id_created_at_index" on "services"."service" ("organization_id", "account_id", "created_at")`,
  `alter table "services"."service" add constraint "service_type_check" check ("type" in ('internet'))`,
  `alter table "services"."service" add constraint "service_status_check" check ("status" in (${STATUSES}))`,
  `alter table "services"."service" add constraint "service_billing_cycle_check" check ("billing_cycle" in ('monthly', 'quarterly', 'annual'))`,
  `create table "services"."service_status_change" (
     "id" text primary key,
     "organization_id" text not null,
     "service_id" text not null,
     "from" text null,
     "to" text not null,
     "reason" text null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "service_status_change_history_index" on "services"."service_status_change" ("organization_id", "service_id", "created_at")`,
  `alter table "services"."service_status_change" add constraint "service_status_change_from_check" check ("from" in (${STATUSES}))`,
  `alter table "services"."service_status_change" add constraint "service_status_change_to_check" check ("to" in (${STATUSES}))`,
]);
