import { migration } from '../../../kernel/migrations/migration.ts';

/** SQL for the start and the end (UTC) of the day on which an invoice is due. */
const CHARGE_AT = `(date_trunc('day', new."due_date" at time zone 'UTC')) at time zone 'UTC'`;
const OVERDUE_AT = `(date_trunc('day', new."due_date" at time zone 'UTC') + interval '1 day') at time zone 'UTC'`;

/**
 * Adds automatic payment and the collection of overdue invoices. Triggers watch every invoice, so that changes by any code or release are
 * included. They run at the end of the transaction, so that `dunning` and `collection` are always locked last. The time `epoch` means
 * "immediately", because tests and sandboxes use their own clocks.
 */
export const collection = migration('0012-collection', [
  `alter table "billing"."payment" add column "origin" text not null default 'request', add column "attempt" int null,
     add constraint "payment_origin_check" check ("origin" in ('request', 'auto'))`,
  `create unique index "payment_automatic_index" on "billing"."payment" ("organization_id", "invoice_id") where "status" = 'pending' and "origin" = 'auto'`,
  `create table "billing"."collection" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "overdue_at" timestamptz(3) not null,
     "reminders" int not null default 0,
     "attempts" int not null default 0,
     "first_attempt_at" timestamptz(3) null,
     "charge_due_at" timestamptz(3) null
   )`,
  `create index "collection_charge_due_at_index" on "billing"."collection" ("charge_due_at")`,
  `create index "collection_organization_id_account_id_overdue_at_index" on "billing"."collection" ("organization_id", "account_id", "overdue_at")`,
  `create table "billing"."dunning" (
     "id" text primary key,
     "organization_id" text not null,
     "state" text not null default 'current',
     "since" timestamptz(3) null,
     "revision" int not null default 0,
     "due_at" timestamptz(3) null,
     constraint "dunning_state_check" check ("state" in ('current', 'overdue', 'suspended'))
   )`,
  `create index "dunning_due_at_index" on "billing"."dunning" ("due_at")`,
  `create function "billing"."follow_invoice"() returns trigger language plpgsql as
     $$ begin
       if new."status" in ('pending', 'overdue') then
         insert into "billing"."dunning" ("id", "organization_id", "due_at")
           values (new."account_id", new."organization_id", ${OVERDUE_AT})
           on conflict ("id") do update set "due_at" = case when tg_op = 'UPDATE' then 'epoch' else least("dunning"."due_at", excluded."due_at") end;
         insert into "billing"."collection" ("id", "organization_id", "account_id", "overdue_at", "charge_due_at")
           values (new."id", new."organization_id", new."account_id", ${OVERDUE_AT}, ${CHARGE_AT})
           on conflict ("id") do update set "overdue_at" = excluded."overdue_at",
             "charge_due_at" = case when "collection"."attempts" = 0 then excluded."charge_due_at" else "collection"."charge_due_at" end,
             "reminders" = case when "collection"."overdue_at" < excluded."overdue_at" then 0 else "collection"."reminders" end;
       else
         perform 1 from "billing"."dunning" where "id" = new."account_id" for update;
         update "billing"."dunning" set "due_at" = 'epoch' where "id" = new."account_id" and "state" <> 'current';
         delete from "billing"."collection" where "id" = new."id";
       end if;
       return null;
     end $$`,
  `create constraint trigger "invoice_followed" after insert on "billing"."invoice" deferrable initially deferred for each row
     execute function "billing"."follow_invoice"()`,
  `create constraint trigger "invoice_change_followed" after update on "billing"."invoice" deferrable initially deferred for each row
     when (old."status" is distinct from new."status" or old."due_date" is distinct from new."due_date")
     execute function "billing"."follow_invoice"()`,
  `insert into "billing"."collection" ("id", "organization_id", "account_id", "overdue_at", "charge_due_at")
     select "id", "organization_id", "account_id", ${OVERDUE_AT.replaceAll('new.', '')}, ${CHARGE_AT.replaceAll('new.', '')}
     from "billing"."invoice" where "status" in ('pending', 'overdue')`,
  `insert into "billing"."dunning" ("id", "organization_id", "due_at")
     select "account_id", min("organization_id"), min("overdue_at") from "billing"."collection" group by "account_id"`,
]);
