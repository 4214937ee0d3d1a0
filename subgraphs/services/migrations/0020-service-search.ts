import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

const part = (sql: string): string => `translate(coalesce(${sql}, ''), chr(31), ' ')`;
const placePart = (name: string): string => part(`location->>'${name}'`);

/**
 * Adds the text that lists of services search (inventory/service-search.ts). Triggers write the text, even if a process of the
 * previous release writes the service. A background task writes the text of existing services in batches.
 */
export const serviceSearch = migration('0020-service-search', [
  'create extension if not exists btree_gin',
  'create extension if not exists pg_trgm',
  'alter table "services"."service" add column "search_text" text null',
  `create function "services"."search_text_of"(id text, name text, service_type text, location jsonb) returns text language sql immutable as $$
     select lower(concat_ws(chr(31), ${['id', 'name', 'service_type'].map(part).join(', ')}, '',
       ${['address', 'city', 'state', 'zip'].map(placePart).join(', ')}))
   $$`,
  `create function "services"."write_search_text"() returns trigger language plpgsql as $$ begin
     new."search_text" := "services"."search_text_of"(new."id", new."name", new."service_type", new."location");
     return new;
   end $$`,
  `create trigger "service_search_text" before insert or update of "name", "service_type", "location" on "services"."service"
     for each row execute function "services"."write_search_text"()`,
  ...backfill('services', 'search-text', 'exists (select from "services"."service")'),
]);
