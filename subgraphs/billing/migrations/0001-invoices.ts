import { outboxTables } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';
import { counterTable } from '../../../kernel/records/numbers.ts';

export const invoices = migration('0001-invoices', [
  ...outboxTables('billing'),
  counterTable('billing', 'invoice_counter'),
  `create table "billing"."invoice" (
     "id" text primary key,
     "organization_id" text not null,
     "number" text not null,
     "account_id" text not null,
     "status" text not null default 'pending',
     "amount" numeric(18,4) not null,
     "currency" text not null,
     "due_date" timestamptz(3) not null,
     "paid_date" timestamptz(3) null,
     "notes" text null,
     "source" text null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "invoice_organization_id_account_id_created_at_index" on "billing"."invoice" ("organization_id", "account_id", "created_at")`,
  `create index "invoice_organization_id_created_at_id_index" on "billing"."invoice" ("organization_id", "created_at", "id")`,
  `alter table "billing"."invoice" add constraint "invoice_organization_id_number_unique" unique ("organization_id", "number")`,
  `alter table "billing"."invoice" add constraint "invoice_source_unique" unique ("source")`,
  `alter table "billing"."invoice" add constraint "invoice_status_check" check ("status" in ('pending', 'paid', 'overdue', 'cancelled'))`,
  `create table "billing"."invoice_line" (
     "invoice_id" text not null,
     "position" int not null,
     "organization_id" text not null,
     "service_id" text not null,
     "description" text not null,
     "quantity" int not null,
     "unit_price" numeric(18,4) not null,
     "amount" numeric(18,4) not null,
     primary key ("invoice_id", "position")
   )`,
  `create index "invoice_line_organization_id_service_id_invoice_id_index" on "billing"."invoice_line" ("organization_id", "service_id", "invoice_id")`,
  `alter table "billing"."invoice_line" add constraint "invoice_line_invoice_id_foreign" foreign key ("invoice_id") references "billing"."invoice" ("id")`,
]);
