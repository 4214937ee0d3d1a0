import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the customer to invoices, as it was when the invoice was issued. Adds the kind, item, period and category to invoice lines. */
export const invoiceDetails = migration('0008-invoice-details', [
  `alter table "billing"."invoice" add column "bill_to" jsonb null, add column "subscription_id" text null`,
  `alter table "billing"."invoice_line"
     add column "kind" text not null default 'service',
     add column "item_id" text null,
     add column "period_start" timestamptz(3) null,
     add column "period_end" timestamptz(3) null,
     add column "category" text null,
     add constraint "invoice_line_kind_check" check ("kind" in ('service', 'recurring', 'proration', 'fee', 'usage')),
     add constraint "invoice_line_period_check" check ("period_start" < "period_end")`,
  `create unique index "invoice_line_period_index" on "billing"."invoice_line" ("organization_id", "item_id", "period_start") where "kind" = 'recurring'`,
]);
