import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the account of the ticket to the table of searchable texts. If the caller is limited to certain accounts, a
 * search can then skip the tickets of other accounts without reading them. Triggers write the column, even if a process
 * of the previous release writes the ticket. A background task fills the column of existing rows in batches
 * (ticket-search/ticket-text.ts).
 */
export const textAccounts = migration('0022-text-accounts', [
  'alter table "support"."ticket_text" add column "account_id" text null',
  `create or replace function "support"."write_opened_texts"() returns trigger language plpgsql as $$ begin
     insert into "support"."ticket_text" ("organization_id", "ticket_id", "visible", "account_id")
       select "organization_id", "id", "support"."text_of_ticket"("title", "description"), "account_id" from opened;
     return null;
   end $$`,
  `create function "support"."write_text_account"() returns trigger language plpgsql as $$ begin
     update "support"."ticket_text" set "account_id" = new."account_id"
       where "organization_id" = new."organization_id" and "ticket_id" = new."id";
     return null;
   end $$`,
  `create trigger "ticket_text_account_changed" after update on "support"."ticket" for each row
     when (old."account_id" is distinct from new."account_id") execute function "support"."write_text_account"()`,
  ...backfill('support', 'text-accounts', `exists (select from "support"."ticket_text")`),
]);
