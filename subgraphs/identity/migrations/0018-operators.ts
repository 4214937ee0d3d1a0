import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the operator: one organization that can suspend and close other organizations. It is chosen at the first start or from the command
 * line.
 */
export const operators = migration('0018-operators', [
  `alter table "identity"."organization"
     add column "operator" boolean not null default false,
     add column "status" text not null default 'active',
     add column "suspended_at" timestamptz(3) null,
     add column "closed_at" timestamptz(3) null,
     add column "delete_after" timestamptz(3) null`,
  `alter table "identity"."organization" add constraint "organization_status_check" check ("status" in ('active', 'suspended', 'closed'))`,
  `create unique index "organization_one_operator" on "identity"."organization" ("operator") where operator`,
  `create index "organization_delete_after_index" on "identity"."organization" ("delete_after") where delete_after is not null`,
  `create index "organization_created_at_id_index" on "identity"."organization" ("created_at", "id")`,
  `alter table "identity"."user" add column "platform_access" text null`,
  `alter table "identity"."user" add constraint "user_platform_access_check" check ("platform_access" in ('read', 'admin'))`,
  'drop trigger "user_noted" on "identity"."user"',
  `create trigger "user_noted" after delete or update of "role", "status", "second_factor", "platform_access" on "identity"."user"
     for each row execute function "identity"."note_change"()`,
]);
