import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the seller, the time zone and the delivery of invoices, and the invoice settings, which contain the seller. */
export const invoiceDelivery = migration('0015-invoice-delivery', [
  `alter table "billing"."invoice"
     add column "seller" jsonb null,
     add column "delivery_started_at" timestamptz(3) null,
     add column "delivered_at" timestamptz(3) null`,
  `create table "billing"."invoice_settings" (
     "organization_id" text primary key,
     "legal_name" text null,
     "address" jsonb not null,
     "tax_id" text null,
     "footer" text null,
     "revision" int not null default 1,
     "updated_at" timestamptz(3) null
   )`,
  `create table "billing"."invoice_delivery" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "invoice_id" text not null references "billing"."invoice" ("id"),
     "cause" text not null,
     "status" text not null default 'queued',
     "recipient" text null,
     "last_error" text null,
     "attempts" int not null default 0,
     "simulated" boolean not null default false,
     "sent_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     constraint "invoice_delivery_cause_check" check ("cause" in ('issue', 'request')),
     constraint "invoice_delivery_status_check" check ("status" in ('queued', 'sent', 'failed', 'dropped'))
   )`,
  `create unique index "invoice_delivery_issue_index" on "billing"."invoice_delivery" ("organization_id", "invoice_id") where "cause" = 'issue'`,
  `create index "invoice_delivery_organization_id_invoice_id_created_at_index" on "billing"."invoice_delivery" ("organization_id", "invoice_id", "created_at")`,
]);
