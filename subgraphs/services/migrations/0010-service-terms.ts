import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds columns for changes of services: features, contacts and price lines of a service, and the wanted values of a
 * change. The database no longer checks the type of a service, because every new product adds a type.
 */
export const serviceTerms = migration('0010-service-terms', [
  `alter table "services"."service"
     add column "features" jsonb not null default '[]',
     add column "contacts" jsonb null,
     add column "price_lines" jsonb null,
     add column "revision" int not null default 1`,
  `alter table "services"."service" drop constraint "service_type_check"`,
  `alter table "services"."service_change"
     add column "apply_due_at" timestamptz(3) null,
     add column "wanted" jsonb null,
     add column "price_lines" jsonb null,
     add column "changes" jsonb null,
     add column "price_difference" numeric(18,4) null`,
  `alter table "services"."service_change" drop constraint "service_change_kind_check"`,
  `alter table "services"."service_change" add constraint "service_change_kind_check" check ("kind" in ('modification', 'configuration', 'scaling', 'features', 'decommission'))`,
  `create index "service_change_apply_due_index" on "services"."service_change" ("apply_due_at") where "apply_due_at" is not null`,
]);
