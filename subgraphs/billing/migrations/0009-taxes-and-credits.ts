import { migration } from '../../../kernel/migrations/migration.ts';
import { counterTable } from '../../../kernel/records/numbers.ts';

const DATE = (column: string): string => `"${column}" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'`;

const TAXES = [
  `create table "billing"."tax_rate" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "percent" numeric(18,4) not null,
     "country" text not null,
     "region" text null,
     "category" text null,
     "valid_from" text not null,
     "valid_to" text null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     constraint "tax_rate_percent_check" check ("percent" >= 0 and "percent" <= 100),
     constraint "tax_rate_dates_check" check (${DATE('valid_from')} and ${DATE('valid_to')} and "valid_from" <= "valid_to")
   )`,
  `create index "tax_rate_organization_id_country_index" on "billing"."tax_rate" ("organization_id", "country")`,
  `create index "tax_rate_organization_id_created_at_id_index" on "billing"."tax_rate" ("organization_id", "created_at", "id")`,
  `create table "billing"."tax_exemption" (
     "organization_id" text not null,
     "account_id" text not null,
     "reason" text not null,
     "tax_id" text null,
     "updated_at" timestamptz(3) not null,
     primary key ("organization_id", "account_id")
   )`,
  `create table "billing"."invoice_tax" (
     "invoice_id" text not null,
     "position" int not null,
     "organization_id" text not null,
     "rate_id" text null,
     "name" text not null,
     "percent" numeric(18,4) not null,
     "taxable" numeric(18,4) not null,
     "amount" numeric(18,4) not null,
     "reason" text null,
     "taxable_credited" numeric(18,4) not null default 0,
     "amount_credited" numeric(18,4) not null default 0,
     primary key ("invoice_id", "position"),
     constraint "invoice_tax_invoice_id_foreign" foreign key ("invoice_id") references "billing"."invoice" ("id"),
     constraint "invoice_tax_amount_check" check ("amount" >= 0 and "taxable" >= 0),
     constraint "invoice_tax_credited_check" check ("taxable_credited" >= 0 and "taxable_credited" <= "taxable"
       and "amount_credited" >= 0 and "amount_credited" <= "amount")
   )`,
];

const INVOICES = [
  // refunds that are in progress are part of the new constraint, so their amounts are counted first
  `alter table "billing"."invoice"
     add column "amount_returned" numeric(18,4) not null default 0,
     add column "amount_written_off" numeric(18,4) not null default 0,
     add column "refund_reserved" numeric(18,4) not null default 0,
     add column "tax_reversed" numeric(18,4) not null default 0,
     add column "write_off_reason" text null,
     add column "tax_terms" jsonb null`,
  `update "billing"."invoice" i set "refund_reserved" = p."reserved", "tax_reversed" = p."tax" from (
     select r."invoice_id", sum(r."refund_reserved") as "reserved", sum(r."tax") as "tax" from (
       select p."invoice_id", p."refund_reserved",
         (select coalesce(sum(f."tax_amount"), 0) from "billing"."refund" f where f."payment_id" = p."id" and f."status" = 'successful') as "tax"
       from "billing"."payment" p where p."refund_reserved" > 0 or p."amount_refunded" > 0
     ) r group by 1
   ) p where p."invoice_id" = i."id"`,
  `alter table "billing"."invoice"
     drop constraint "invoice_money_check",
     add constraint "invoice_money_check" check ("tax_amount" >= 0 and "amount" >= "tax_amount" and "amount_paid" >= 0 and "amount_reserved" >= 0
       and "amount_credited" >= 0 and "credit_applied" >= 0 and "amount_refunded" >= 0 and "amount_written_off" >= 0
       and "amount_paid" + "amount_reserved" + "amount_credited" + "credit_applied" + "amount_written_off" <= "amount"
       and "amount_refunded" <= "amount_paid"),
     add constraint "invoice_returned_check" check ("amount_returned" >= 0 and "refund_reserved" >= 0
       and "amount_refunded" + "refund_reserved" + "amount_returned" <= "amount_paid" + "credit_applied"),
     add constraint "invoice_reversed_check" check ("tax_reversed" >= 0 and "tax_reversed" <= "tax_amount"
       and "amount_credited" + "amount_returned" + "amount_refunded" - "tax_reversed" <= "amount" - "tax_amount")`,
  `alter table "billing"."invoice_line"
     add column "tax_rate_ids" jsonb not null default '[]',
     add column "amount_credited" numeric(18,4) not null default 0,
     add constraint "invoice_line_credited_check" check ("amount_credited" >= 0 and "amount_credited" <= "amount")`,
  // credit is used for the open invoices of an account, the oldest due date first
  `create index "invoice_open_index" on "billing"."invoice" ("organization_id", "account_id", "due_date", "created_at", "id")
     where "status" in ('pending', 'overdue')`,
];

const CREDITS = [
  counterTable('billing', 'credit_note_counter'),
  `create table "billing"."credit_note" (
     "id" text primary key,
     "organization_id" text not null,
     "number" text not null,
     "account_id" text not null,
     "invoice_id" text null references "billing"."invoice" ("id"),
     "cause" text not null,
     "net" numeric(18,4) not null,
     "tax" numeric(18,4) not null,
     "amount" numeric(18,4) not null,
     "amount_to_invoice" numeric(18,4) not null,
     "amount_to_account" numeric(18,4) not null,
     "currency" text not null,
     "taxes" jsonb not null default '[]',
     "reason" text null,
     "created_at" timestamptz(3) not null,
     constraint "credit_note_organization_id_number_unique" unique ("organization_id", "number"),
     constraint "credit_note_cause_check" check ("cause" in ('proration', 'cancel', 'manual', 'goodwill')),
     constraint "credit_note_invoice_check" check (("invoice_id" is null) = ("cause" = 'goodwill')),
     constraint "credit_note_amount_check" check ("net" > 0 and "tax" >= 0 and "amount" = "net" + "tax"
       and "amount_to_invoice" >= 0 and "amount_to_account" >= 0 and "amount" = "amount_to_invoice" + "amount_to_account")
   )`,
  `create index "credit_note_organization_id_created_at_id_index" on "billing"."credit_note" ("organization_id", "created_at", "id")`,
  `create index "credit_note_organization_id_account_id_created_at_id_index"
     on "billing"."credit_note" ("organization_id", "account_id", "created_at", "id")`,
  `create index "credit_note_organization_id_invoice_id_created_at_index"
     on "billing"."credit_note" ("organization_id", "invoice_id", "created_at")`,
  `create table "billing"."credit_note_line" (
     "credit_note_id" text not null,
     "position" int not null,
     "organization_id" text not null,
     "service_id" text not null,
     "description" text not null,
     "net" numeric(18,4) not null,
     primary key ("credit_note_id", "position"),
     constraint "credit_note_line_credit_note_id_foreign" foreign key ("credit_note_id") references "billing"."credit_note" ("id"),
     constraint "credit_note_line_net_check" check ("net" > 0)
   )`,
  // credit that could not be used at once, because other transactions had locked the invoices
  `create table "billing"."waiting_credit" (
     "id" text primary key default gen_random_uuid()::text,
     "organization_id" text not null,
     "account_id" text not null,
     "currency" text not null,
     "apply_due_at" timestamptz(3) not null
   )`,
  `create index "waiting_credit_apply_due_at_index" on "billing"."waiting_credit" ("apply_due_at")`,
];

/** Adds tax rates, tax exemptions and the taxes of invoices; credit notes; and write-offs. */
export const taxesAndCredits = migration('0009-taxes-and-credits', [...TAXES, ...INVOICES, ...CREDITS]);
