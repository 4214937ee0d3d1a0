import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Separates the address of a user from the login name. `address` becomes the user's e-mail address for display and mails. `email` stays the
 * login name, unique over all organizations. A pending invitation does not reserve the address: its `email` is `invited:<id>`. The trigger
 * supports the previous release, which writes only `email` and activates users by changing only their status.
 */
export const invitations = migration('0016-invitations', [
  `alter table "identity"."user" add column "address" text null`,
  `update "identity"."user" set "address" = "email"`,
  `alter table "identity"."user" alter column "address" set not null`,
  `create function "identity"."address_user"() returns trigger language plpgsql as $$
     begin
       new."address" := coalesce(new."address", new."email");
       if new."status" = 'active' and new."email" = 'invited:' || new."id" then
         new."email" := new."address";
       end if;
       return new;
     end $$`,
  `create trigger "user_addressed" before insert or update on "identity"."user" for each row execute function "identity"."address_user"()`,
  `alter table "identity"."user" add constraint "user_organization_id_address_unique" unique ("organization_id", "address")`,
  `create index "user_address_index" on "identity"."user" ("address")`,
]);
