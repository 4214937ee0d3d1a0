import { migration } from '../../../kernel/migrations/migration.ts';

/** Time of the first audit of an organization's ledger: in the next night (UTC), at a random time. */
const FIRST_AUDIT = `date_trunc('day', now()) + interval '1 day 1 hour' + random() * interval '2 hours'`;

/**
 * Adds disputes, the queue of the nightly audits of the ledger, and indexes that find payments and refunds by the processor's reference,
 * and transfers by time.
 */
export const disputes = migration('0013-disputes', [
  `alter table "billing"."payment"
     add column "amount_disputed" numeric(18,4) not null default 0,
     add constraint "payment_disputed_check" check ("amount_disputed" >= 0)`,
  // a notification does not state the organization of the payment
  `create index "payment_processor_reference_index" on "billing"."payment" ("processor", "reference")`,
  `create unique index "refund_organization_id_payment_id_reference_unique" on "billing"."refund" ("organization_id", "payment_id", "reference")`,
  `create table "billing"."dispute" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "payment_id" text not null references "billing"."payment" ("id"),
     "reference" text not null,
     "status" text not null,
     "amount" numeric(18,4) not null,
     "amount_reopened" numeric(18,4) not null default 0,
     "currency" text not null,
     "reason" text not null,
     "closed_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     constraint "dispute_status_check" check ("status" in ('open', 'won', 'lost')),
     constraint "dispute_money_check" check ("amount" > 0 and "amount_reopened" >= 0 and "amount_reopened" <= "amount")
   )`,
  `create unique index "dispute_organization_id_payment_id_reference_unique" on "billing"."dispute" ("organization_id", "payment_id", "reference")`,
  `alter table "billing"."test_processor_charge" add column "dispute_due_at" timestamptz(3) null, add column "dispute_state" text null`,
  `create index "test_processor_charge_dispute_due_at_index" on "billing"."test_processor_charge" ("dispute_due_at")
     where "dispute_due_at" is not null`,
  `create index "ledger_transfer_time_index" on "billing"."ledger_transfer" ("organization_id", "created_at", "source", "kind")`,
  `create table "billing"."ledger_audit" (
     "id" text primary key,
     "organization_id" text not null,
     "audit_due_at" timestamptz(3) null,
     "audited_at" timestamptz(3) null,
     "differences" int not null default 0
   )`,
  `create index "ledger_audit_audit_due_at_index" on "billing"."ledger_audit" ("audit_due_at")`,
  `create index "ledger_audit_differences_index" on "billing"."ledger_audit" ("differences") where "differences" > 0`,
  // each organization with a balance is audited
  `create function "billing"."plan_audit"() returns trigger language plpgsql as
     $$ begin
       insert into "billing"."ledger_audit" ("id", "organization_id", "audit_due_at")
         values (new."organization_id", new."organization_id", ${FIRST_AUDIT}) on conflict do nothing;
       return null;
     end $$`,
  `create trigger "account_balance_audit" after insert on "billing"."account_balance" for each row execute function "billing"."plan_audit"()`,
  `insert into "billing"."ledger_audit" ("id", "organization_id", "audit_due_at")
     select "organization_id", "organization_id", ${FIRST_AUDIT} from (select distinct "organization_id" from "billing"."account_balance") o`,
]);
