import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the table of reports (reports/), and a function for the start of a local day, which dashboard and reports use
 * (analytics/).
 */
export const analytics = migration('0007-analytics', [
  // a clock change can set the clocks back over midnight, so that midnight occurs twice. Then this function returns the
  // first midnight, and PostgreSQL's own conversion would return the second
  `create function "support"."start_of_day"("day" date, "zone" text) returns timestamptz language sql stable as $$
     select case when ((t - interval '1 hour') at time zone $2)::date = $1 then t - interval '1 hour' else t end
     from (select $1::timestamp at time zone $2) midnight(t) $$`,
  `create table "support"."report" (
     "id" text primary key,
     "organization_id" text not null,
     "report_type" text not null,
     "status" text not null default 'generating',
     "progress" smallint not null default 0,
     "rows" int null,
     "estimated_completion" timestamptz(3) not null,
     "parameters" jsonb not null,
     "delivery" jsonb not null,
     "notification_id" text null,
     "error" text null,
     "attempts" smallint not null default 0,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "report_organization_id_created_at_id_index" on "support"."report" ("organization_id", "created_at", "id")`,
  `alter table "support"."report" add constraint "report_status_check" check ("status" in ('generating', 'ready', 'failed'))`,
]);
