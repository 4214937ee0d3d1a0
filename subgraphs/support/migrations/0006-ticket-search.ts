import { migration } from '../../../kernel/migrations/migration.ts';

const CELL = '"organization_id", "day", "status", "priority", "category", "agent_id"';
/**
 * SQL for the two values of `day` under which each ticket is counted: `-infinity` for all time, and the day (UTC) of
 * its creation.
 */
const DAYS = `(values (date '-infinity'), (("created_at" at time zone 'UTC')::date)) as d("day")`;

/** Adds the ticket counters by kind, and the searchable texts of tickets (ticket-search/). */
export const ticketSearch = migration('0006-ticket-search', [
  // transactions only append rows, so they do not wait for each other; a background task compacts the rows into sums
  `create table "support"."ticket_tally" (
     "organization_id" text not null,
     "day" date not null,
     "status" text not null,
     "priority" text not null,
     "category" text not null,
     "agent_id" text not null,
     "count" int not null,
     "folded" boolean not null default false
   ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create index "ticket_tally_cell_index" on "support"."ticket_tally" (${CELL})`,
  `create index "ticket_tally_unfolded_index" on "support"."ticket_tally" (${CELL}) where not "folded"`,
  `create function "support"."tally_opened_tickets"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_tally" (${CELL}, "count")
       select ${CELL}, count(*) from opened cross join lateral ${DAYS} group by ${CELL};
     return null;
   end $$`,
  `create function "support"."tally_removed_tickets"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_tally" (${CELL}, "count")
       select ${CELL}, -count(*) from removed cross join lateral ${DAYS} group by ${CELL};
     return null;
   end $$`,
  `create function "support"."tally_changed_ticket"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_tally" (${CELL}, "count")
       select ${CELL}, "count" from (
         select old."organization_id", old."status", old."priority", old."category", old."agent_id", old."created_at", -1 as "count"
         union all select new."organization_id", new."status", new."priority", new."category", new."agent_id", new."created_at", 1
       ) t cross join lateral ${DAYS};
     return null;
   end $$`,
  `create trigger "ticket_tally_opened" after insert on "support"."ticket" referencing new table as opened
     for each statement execute function "support"."tally_opened_tickets"()`,
  `create trigger "ticket_tally_removed" after delete on "support"."ticket" referencing old table as removed
     for each statement execute function "support"."tally_removed_tickets"()`,
  `create trigger "ticket_tally_changed" after update on "support"."ticket" for each row
     when ((old."status", old."priority", old."category", old."agent_id", old."created_at")
       is distinct from (new."status", new."priority", new."category", new."agent_id", new."created_at"))
     execute function "support"."tally_changed_ticket"()`,

  // allows an index on both the organization and the words, so that a search reads only the index entries of its
  // organization
  'create extension if not exists btree_gin',
  // `visible` has the words that customers can find. `internal` has the words that support staff can find, and is null
  // if the ticket has no internal comments. If `internal` is null, searches of support staff use `visible`
  `create table "support"."ticket_text" (
     "organization_id" text not null,
     "ticket_id" text not null,
     "visible" tsvector not null,
     "internal" tsvector null,
     primary key ("organization_id", "ticket_id")
   )`,
  `create index "ticket_text_visible_index" on "support"."ticket_text" using gin ("organization_id", "visible")`,
  `create index "ticket_text_internal_index" on "support"."ticket_text" using gin ("organization_id", "internal") where "internal" is not null`,
  `create function "support"."text_of_ticket"("title" text, "description" text) returns tsvector language sql immutable as $$
     select setweight(to_tsvector('pg_catalog.english', $1), 'A') || setweight(to_tsvector('pg_catalog.english', $2), 'B') $$`,
  `create function "support"."write_opened_texts"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_text" ("organization_id", "ticket_id", "visible")
       select "organization_id", "id", "support"."text_of_ticket"("title", "description") from opened;
     return null;
   end $$`,
  `create function "support"."delete_removed_texts"() returns trigger language plpgsql as $$ begin
     delete from "support"."ticket_text" x using removed r
       where x."organization_id" = r."organization_id" and x."ticket_id" = r."id";
     return null;
   end $$`,
  `create trigger "ticket_text_opened" after insert on "support"."ticket" referencing new table as opened
     for each statement execute function "support"."write_opened_texts"()`,
  `create trigger "ticket_text_removed" after delete on "support"."ticket" referencing old table as removed
     for each statement execute function "support"."delete_removed_texts"()`,

  // the trigger runs only on inserts, because comments never change. If the words would exceed the size limit of a
  // tsvector (1 MiB), the stored words stay unchanged
  `create function "support"."write_comment_text"() returns trigger language plpgsql as $$
     declare said tsvector := setweight(to_tsvector('pg_catalog.english', new."content"), 'C');
   begin
     update "support"."ticket_text" set
       "visible" = case when new."visibility" = 'customer' then "visible" || said else "visible" end,
       "internal" = case when new."visibility" = 'internal' or "internal" is not null then coalesce("internal", "visible") || said end
     where "organization_id" = new."organization_id" and "ticket_id" = new."ticket_id";
     return null;
   exception when program_limit_exceeded then return null;
   end $$`,
  `create trigger "comment_text_added" after insert on "support"."comment" for each row execute function "support"."write_comment_text"()`,
]);
