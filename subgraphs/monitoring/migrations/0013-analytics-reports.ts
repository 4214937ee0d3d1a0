import { migration } from '../../../kernel/migrations/migration.ts';

/** Reports about services. A job generates the file of each. */
export const analyticsReportTable = migration('0013-analytics-reports', [
  `create table "monitoring"."analytics_report" (
     "id" text primary key,
     "organization_id" text not null,
     "report_type" text not null,
     "status" text not null default 'generating',
     "progress" smallint not null default 0,
     "rows" int null,
     "estimated_completion" timestamptz(3) not null,
     "parameters" jsonb not null,
     "delivery" jsonb not null,
     "error" text null,
     "attempts" smallint not null default 0,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     constraint "analytics_report_status_check" check ("status" in ('generating', 'ready', 'failed'))
   )`,
  `create index "analytics_report_created_index" on "monitoring"."analytics_report" ("organization_id", "created_at", "id")`,
]);
