import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the billing preferences of accounts, and lets payment methods be detached. Processes of the previous release still offer detached
 * methods; the payment processor declines them.
 */
export const billingAccounts = migration('0007-billing-accounts', [
  `create table "billing"."billing_account" (
     "organization_id" text not null,
     "account_id" text not null,
     "currency" text not null default 'USD',
     "billing_cycle" text not null default 'monthly',
     "auto_pay" boolean not null default false,
     "payment_method_id" text null references "billing"."payment_method" ("id"),
     "invoice_delivery" text not null default 'email',
     "billing_day" int null,
     "tax_id" text null,
     "revision" int not null default 1,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) null,
     primary key ("organization_id", "account_id"),
     constraint "billing_account_billing_cycle_check" check ("billing_cycle" in ('monthly', 'quarterly', 'annual')),
     constraint "billing_account_invoice_delivery_check" check ("invoice_delivery" in ('email', 'none')),
     constraint "billing_account_day_check" check ("billing_day" >= 1 and "billing_day" <= 31),
     constraint "billing_account_auto_pay_check" check (not "auto_pay" or "payment_method_id" is not null)
   )`,
  `alter table "billing"."payment_method" add column "status" text not null default 'active',
     add constraint "payment_method_status_check" check ("status" in ('active', 'detached'))`,
  `create index "payment_method_organization_id_account_id_created_at_index" on "billing"."payment_method" ("organization_id", "account_id", "created_at")`,
  `create index "invoice_overdue_index" on "billing"."invoice" ("organization_id", "account_id") where "status" = 'overdue'`,
]);
