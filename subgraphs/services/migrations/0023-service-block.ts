import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the orders that block suspended services at the provider. A trigger sets the time at which the provider must be asked, even if a
 * process of the previous release suspends or resumes the service. Services that are suspended already are blocked too.
 */
export const serviceBlock = migration('0023-service-block', [
  `create table "services"."service_block" (
     "id" text primary key,
     "organization_id" text not null,
     "is_blocked" boolean not null default false,
     "is_open" boolean not null default false,
     "order_number" int not null default 0,
     "failures" int not null default 0,
     "due_at" timestamptz(3) null
   )`,
  `create index "service_block_due_index" on "services"."service_block" ("due_at") where "due_at" is not null`,
  `create function "services"."follow_suspension"() returns trigger language plpgsql as $$ begin
     if new."status" = 'suspended' then
       insert into "services"."service_block" ("id", "organization_id", "due_at") values (new."id", new."organization_id", new."updated_at")
         on conflict ("id") do update set "due_at" = excluded."due_at";
     else
       update "services"."service_block" set "due_at" = new."updated_at" where "id" = new."id";
     end if;
     return null;
   end $$`,
  `create trigger "service_suspension_followed" after update of "status" on "services"."service" for each row
     when (old."status" is distinct from new."status" and (new."status" = 'suspended' or old."status" in ('suspended', 'decommissioning')))
     execute function "services"."follow_suspension"()`,
  `insert into "services"."service_block" ("id", "organization_id", "due_at")
     select "id", "organization_id", "updated_at" from "services"."service" where "status" = 'suspended' on conflict do nothing`,
]);
