import { migration } from '../../../kernel/migration.ts';
import { counterTable } from '../../../kernel/numbers.ts';
import { outboxTables } from '../../../kernel/outbox.ts';

export const tickets = migration('0001-tickets', [
  ...outboxTables('support'),
  `create table "support"."agent" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "email" text not null,
     "specialization" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `alter table "support"."agent" add constraint "agent_organization_id_email_unique" unique ("organization_id", "email")`,
  counterTable('support', 'ticket_counter'),
  `create table "support"."ticket" (
     "id" text primary key,
     "organization_id" text not null,
     "number" text not null,
     "title" text not null,
     "description" text not null,
     "status" text not null default 'open',
     "priority" text not null,
     "urgency" smallint not null,
     "severity" text null,
     "category" text not null,
     "subcategory" text null,
     "customer_id" text null,
     "service_affected" text null,
     "contact" jsonb null,
     "location" jsonb null,
     "metadata" jsonb not null,
     "agent_id" text not null,
     "internal_notes" text null,
     "customer_update" text null,
     "estimated_resolution" timestamptz(3) null,
     "response_due" timestamptz(3) not null,
     "resolution_due" timestamptz(3) not null,
     "responded_at" timestamptz(3) null,
     "resolved_at" timestamptz(3) null,
     "escalation_level" int not null default 0,
     "escalation_reason" text null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "ticket_organization_id_service_affected_created_at_index" on "support"."ticket" ("organization_id", "service_affected", "created_at")`,
  `create index "ticket_organization_id_customer_id_created_at_index" on "support"."ticket" ("organization_id", "customer_id", "created_at")`,
  `create index "ticket_organization_id_created_at_id_index" on "support"."ticket" ("organization_id", "created_at", "id")`,
  `create index "ticket_agent_id_status_index" on "support"."ticket" ("agent_id", "status")`,
  `alter table "support"."ticket" add constraint "ticket_organization_id_number_unique" unique ("organization_id", "number")`,
  `alter table "support"."ticket" add constraint "ticket_status_check" check ("status" in ('open', 'in_progress', 'escalated', 'resolved'))`,
  `alter table "support"."ticket" add constraint "ticket_priority_check" check ("priority" in ('low', 'medium', 'high', 'critical'))`,
]);
