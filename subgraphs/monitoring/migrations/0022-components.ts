import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the states of the platform's components, which one process at a time measures for all processes. */
export const components = migration('0022-components', [
  `create table "monitoring"."component" (
     "name" text primary key,
     "status" text null,
     "since" timestamptz(3) null,
     "checked_at" timestamptz(3) null,
     "seconds" float8 null,
     "differing_checks" int not null default 0,
     "differing_since" timestamptz(3) null,
     "due_at" timestamptz(3) not null default 'epoch'
   )`,
  `alter table "monitoring"."component" add constraint "component_status_check" check ("status" in ('operational', 'degraded', 'down'))`,
  `insert into "monitoring"."component" ("name") values ('api'), ('graph'), ('webhooks'), ('jobs'), ('database')`,
]);
