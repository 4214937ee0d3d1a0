import { migration } from '../../../kernel/migrations/migration.ts';

/** SQL for the end of the day (UTC) on which an invoice is due. The invoice is overdue from this time on. */
const OVERDUE_AT = `(date_trunc('day', new."due_date" at time zone 'UTC') + interval '1 day') at time zone 'UTC'`;

/**
 * Adds the paid amounts of invoices, the ledger, and the balances of accounts. A trigger posts each issued invoice, so that invoices from
 * processes of the previous release are posted too. Only `billing.post` writes the ledger and the balances.
 */
export const ledger = migration('0005-ledger', [
  `alter table "billing"."invoice"
     add column "tax_amount" numeric(18,4) not null default 0,
     add column "amount_paid" numeric(18,4) not null default 0,
     add column "amount_reserved" numeric(18,4) not null default 0,
     add column "amount_credited" numeric(18,4) not null default 0,
     add column "credit_applied" numeric(18,4) not null default 0,
     add column "amount_refunded" numeric(18,4) not null default 0,
     add column "revision" int not null default 1,
     add column "status_due_at" timestamptz(3) null,
     add constraint "invoice_money_check" check ("tax_amount" >= 0 and "amount" >= "tax_amount" and "amount_paid" >= 0 and "amount_reserved" >= 0
       and "amount_credited" >= 0 and "credit_applied" >= 0 and "amount_refunded" >= 0
       and "amount_paid" + "amount_reserved" + "amount_credited" + "credit_applied" <= "amount" and "amount_refunded" <= "amount_paid"),
     drop constraint "invoice_source_unique",
     add constraint "invoice_organization_id_source_unique" unique ("organization_id", "source")`,
  `update "billing"."invoice" set "status_due_at" = ${OVERDUE_AT.replaceAll('new.', '')} where "status" = 'pending'`,
  `create index "invoice_status_due_at_index" on "billing"."invoice" ("status_due_at")`,
  `create function "billing"."set_status_due"() returns trigger language plpgsql as
     $$ begin
       new."status_due_at" := case when new."status" = 'pending' then ${OVERDUE_AT} end;
       return new;
     end $$`,
  `create trigger "invoice_status_due" before insert or update of "due_date", "status" on "billing"."invoice" for each row
     execute function "billing"."set_status_due"()`,
  `create table "billing"."ledger_transfer" (
     "organization_id" text not null,
     "source" text not null,
     "kind" text not null,
     "account_id" text not null,
     "invoice_id" text null,
     "currency" text not null,
     "debit" text not null,
     "credit" text not null,
     "amount" numeric(18,4) not null,
     "created_at" timestamptz(3) not null,
     primary key ("organization_id", "source", "kind"),
     constraint "ledger_transfer_amount_check" check ("amount" > 0),
     constraint "ledger_transfer_sides_check" check ("debit" <> "credit")
   )`,
  `create index "ledger_transfer_account_index" on "billing"."ledger_transfer" ("organization_id", "account_id", "created_at")`,
  `create table "billing"."account_balance" (
     "organization_id" text not null,
     "account_id" text not null,
     "currency" text not null,
     "receivable" numeric(18,4) not null default 0,
     "credit" numeric(18,4) not null default 0,
     primary key ("organization_id", "account_id", "currency"),
     constraint "account_balance_check" check ("receivable" >= 0 and "credit" >= 0)
   )`,
  `create function "billing"."post"(organization text, source text, kind text, account text, invoice text, currency text, debit text, credit text,
       amount numeric, at timestamptz) returns void language sql as
     $$
       insert into "billing"."ledger_transfer" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
       insert into "billing"."account_balance" ("organization_id", "account_id", "currency") values ($1, $4, $6) on conflict do nothing;
       update "billing"."account_balance" set
         "receivable" = "receivable" + case when $7 = 'receivable' then $9 when $8 = 'receivable' then -$9 else 0 end,
         "credit" = "credit" + case when $8 = 'credit' then $9 when $7 = 'credit' then -$9 else 0 end
         where "organization_id" = $1 and "account_id" = $4 and "currency" = $6;
     $$`,
  `create function "billing"."post_issue"() returns trigger language plpgsql as
     $$ begin
       if new."amount" > new."tax_amount" then
         perform "billing"."post"(new."organization_id", new."id", 'issue', new."account_id", new."id", new."currency", 'receivable', 'revenue',
           new."amount" - new."tax_amount", new."created_at");
       end if;
       if new."tax_amount" > 0 then
         perform "billing"."post"(new."organization_id", new."id", 'tax', new."account_id", new."id", new."currency", 'receivable', 'tax',
           new."tax_amount", new."created_at");
       end if;
       return null;
     end $$`,
  `create trigger "invoice_issue" after insert on "billing"."invoice" for each row execute function "billing"."post_issue"()`,
  `insert into "billing"."ledger_transfer"
     select "organization_id", "id", 'issue', "account_id", "id", "currency", 'receivable', 'revenue', "amount", "created_at"
     from "billing"."invoice" where "amount" > 0`,
  `insert into "billing"."account_balance" ("organization_id", "account_id", "currency", "receivable")
     select "organization_id", "account_id", "currency", sum("amount") from "billing"."ledger_transfer" group by 1, 2, 3`,
  `create function "billing"."refuse_change"() returns trigger language plpgsql as
     $$ begin raise exception 'The ledger is only extended: post a correction instead.'; end $$`,
  `create trigger "ledger_transfer_kept" before update or delete or truncate on "billing"."ledger_transfer" for each statement
     execute function "billing"."refuse_change"()`,
]);
