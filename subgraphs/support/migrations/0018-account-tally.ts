import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

const KIND = '"status", "priority", "category", "agent_id"';
const CELL = `"organization_id", "account_id", "customer_id", "day", ${KIND}`;
/**
 * SQL for the days of the two counter cells of a ticket, as in migration 0006. One cell counts the tickets of all time.
 * The other cell counts the tickets that were created on the same day (UTC).
 */
const DAYS = `(values (date '-infinity'), (("created_at" at time zone 'UTC')::date)) as d("day")`;
/**
 * SQL condition for the tickets that the counters include. Tickets with neither an account nor a customer are counted only in
 * `ticket_tally`.
 */
const COUNTED = `"account_id" is not null or "customer_id" is not null`;
const KEYS = `"organization_id", coalesce("account_id", '') as "account_id", coalesce("customer_id", '') as "customer_id"`;

/**
 * Adds ticket counters by account and customer, in a table like `ticket_tally`. A background task counts existing
 * tickets later, one organization at a time (ticket-search/ticket-counters.ts). No ticket is missed: creating the
 * triggers waits for running transactions that write tickets.
 */
export const accountTally = migration('0018-account-tally', [
  `create table "support"."ticket_account_tally" (
     "organization_id" text not null,
     "account_id" text not null,
     "customer_id" text not null,
     "day" date not null,
     "status" text not null,
     "priority" text not null,
     "category" text not null,
     "agent_id" text not null,
     "count" int not null,
     "folded" boolean not null default false
   ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  // the index includes the count, so that the sum of thousands of cells is read from the index alone
  `create index "ticket_account_tally_cell_index" on "support"."ticket_account_tally"
     ("organization_id", "account_id", "day", ${KIND}, "customer_id") include ("count")`,
  `create index "ticket_account_tally_customer_index" on "support"."ticket_account_tally" ("organization_id", "customer_id", "day")`,
  `create index "ticket_account_tally_unfolded_index" on "support"."ticket_account_tally" ("organization_id") where not "folded"`,
  `create function "support"."tally_opened_of_accounts"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_account_tally" (${CELL}, "count")
       select ${CELL}, count(*) from (select ${KEYS}, ${KIND}, "created_at" from opened where ${COUNTED}) t
         cross join lateral ${DAYS} group by ${CELL};
     return null;
   end $$`,
  `create function "support"."tally_removed_of_accounts"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_account_tally" (${CELL}, "count")
       select ${CELL}, -count(*) from (select ${KEYS}, ${KIND}, "created_at" from removed where ${COUNTED}) t
         cross join lateral ${DAYS} group by ${CELL};
     return null;
   end $$`,
  `create function "support"."tally_changed_of_account"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_account_tally" (${CELL}, "count")
       select ${CELL}, "count" from (
         select ${KEYS}, ${KIND}, "created_at", "count" from (select old.*, -1 as "count" union all select new.*, 1) r where ${COUNTED}
       ) t cross join lateral ${DAYS};
     return null;
   end $$`,
  `create trigger "ticket_account_tally_opened" after insert on "support"."ticket" referencing new table as opened
     for each statement execute function "support"."tally_opened_of_accounts"()`,
  `create trigger "ticket_account_tally_removed" after delete on "support"."ticket" referencing old table as removed
     for each statement execute function "support"."tally_removed_of_accounts"()`,
  `create trigger "ticket_account_tally_changed" after update on "support"."ticket" for each row
     when ((old."account_id", old."customer_id", old."status", old."priority", old."category", old."agent_id", old."created_at")
       is distinct from (new."account_id", new."customer_id", new."status", new."priority", new."category", new."agent_id", new."created_at"))
     execute function "support"."tally_changed_of_account"()`,
  // the function is a single statement, so it reads tickets and counters in the same snapshot. It replaces the counter
  // rows of this snapshot by a count of the tickets, and keeps counter rows that are added later. The function blocks
  // no other transaction, but the counters must not be compacted while it runs
  `create function "support"."recount_account_tally"("organization" text) returns void language sql as $$
     with gone as (delete from "support"."ticket_account_tally" where "organization_id" = $1)
     insert into "support"."ticket_account_tally" (${CELL}, "count", "folded")
       select ${CELL}, count(*), true from (
         select ${KEYS}, ${KIND}, "created_at" from "support"."ticket" where "organization_id" = $1 and (${COUNTED})
       ) t cross join lateral ${DAYS} group by ${CELL} order by ${CELL} $$`,
  // for lists of one account's tickets with a certain status and priority, even if few tickets of the account match
  `create index "ticket_account_state_index" on "support"."ticket"
     ("organization_id", "account_id", "status", "urgency", "created_at", "id")`,
  ...backfill('support', 'account-tally', `exists (select from "support"."ticket")`),
]);
