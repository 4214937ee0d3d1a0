import { migration } from '../../../kernel/migrations/migration.ts';

export const provisioningRequests = migration('0004-provisioning-requests', [
  `create table "services"."provisioning_request" (
     "id" text primary key,
     "organization_id" text not null,
     "status" text not null,
     "status_reason" text null,
     "service_template" text not null,
     "customizations" jsonb not null,
     "preferred_date" timestamptz(3) null,
     "flexibility" text null,
     "contacts" jsonb null,
     "account_id" text null,
     "location" jsonb null,
     "sla" text null,
     "billing_cycle" text not null,
     "name" text null,
     "service_id" text null,
     "history" jsonb not null,
     "revision" int not null default 0,
     "ordered_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "provisioning_request_organization_id_created_at_id_index" on "services"."provisioning_request" ("organization_id", "created_at", "id")`,
  `alter table "services"."provisioning_request" add constraint "provisioning_request_service_id_unique" unique ("service_id")`,
  `alter table "services"."provisioning_request" add constraint "provisioning_request_status_check" check ("status" in ('pending', 'acknowledged', 'in_progress', 'completed', 'failed', 'cancelled'))`,
  `alter table "services"."provisioning_request" add constraint "provisioning_request_billing_cycle_check" check ("billing_cycle" in ('monthly', 'quarterly', 'annual'))`,
]);
