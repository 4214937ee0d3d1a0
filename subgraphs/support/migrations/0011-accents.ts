import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Makes full-text search ignore accents. `words_of` also stores words with their accents, without positions, because
 * processes of the previous release search for words with accents. Existing rows of `ticket_text` with accents are
 * converted later in batches (ticket-search/ticket-text.ts), so that the migration does not lock a million tickets.
 */
export const accents = migration('0011-accents', [
  'create extension if not exists unaccent',
  `create text search configuration "support"."words" (copy = pg_catalog.english)`,
  `alter text search configuration "support"."words" alter mapping for hword, hword_part, word with unaccent, english_stem`,
  `alter text search configuration "support"."words" alter mapping for numhword, numword with unaccent, simple`,
  // if a text has as many bytes as characters, it consists of ASCII characters, and the configurations with and without
  // accents find the same words
  `create function "support"."words_of"("text" text, "weight" "char") returns tsvector language sql immutable parallel safe as $$
     select setweight(case when octet_length($1) = char_length($1) then to_tsvector('"support"."words"', $1)
       else to_tsvector('"support"."words"', normalize($1, NFC)) || strip(to_tsvector('pg_catalog.english', $1)) end, $2) $$`,
  `create or replace function "support"."text_of_ticket"("title" text, "description" text) returns tsvector language sql immutable as $$
     select "support"."words_of"($1, 'A') || "support"."words_of"($2, 'B') $$`,
  `create or replace function "support"."write_comment_text"() returns trigger language plpgsql as $$
     declare said tsvector := "support"."words_of"(new."content", 'C');
   begin
     update "support"."ticket_text" set
       "visible" = case when new."visibility" = 'customer' then "visible" || said else "visible" end,
       "internal" = case when new."visibility" = 'internal' or "internal" is not null then coalesce("internal", "visible") || said end
     where "organization_id" = new."organization_id" and "ticket_id" = new."ticket_id";
     return null;
   exception when program_limit_exceeded then return null;
   end $$`,
  // rebuilds the text from the ticket and its comments; a comment whose words would exceed the size limit is left out
  `create function "support"."rewrite_ticket_text"("organization" text, "ticket" text) returns void language plpgsql as $$
     declare
       seen tsvector := (select "support"."text_of_ticket"("title", "description") from "support"."ticket" where "id" = $2);
       whole tsvector := seen;
       said record;
     begin
       for said in select "visibility" = 'customer' as "to_customer", "support"."words_of"("content", 'C') as "words"
         from "support"."comment" where "organization_id" = $1 and "ticket_id" = $2 order by "created_at", "id"
       loop
         begin
           whole := whole || said."words";
           if said."to_customer" then seen := seen || said."words"; end if;
         exception when program_limit_exceeded then null;
         end;
       end loop;
       update "support"."ticket_text" set "visible" = seen, "internal" = case when "internal" is not null then whole end
         where "organization_id" = $1 and "ticket_id" = $2 and seen is not null;
     end $$`,
  ...backfill('support', 'accents', `exists (select from "support"."ticket_text")`),

  // there are few articles, so this migration rebuilds their search column immediately
  `alter table "support"."article" drop column "search",
     add column "search" tsvector generated always as ("support"."words_of"("title", 'A') || "support"."words_of"("summary", 'B')
       || "support"."words_of"("tags"::text, 'B') || "support"."words_of"("body", 'C')) stored`,
  `create index "article_search_index" on "support"."article" using gin ("search")`,
]);
