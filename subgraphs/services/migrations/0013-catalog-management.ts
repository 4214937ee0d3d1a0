import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Lets operators manage the catalog: revisions, and the history of prices. A retired service no longer reserves its `service_type`, so that
 * another service can have the same `service_type`.
 */
export const catalogManagement = migration('0013-catalog-management', [
  `alter table "services"."catalog_service" add column "revision" int not null default 1`,
  `alter table "services"."catalog_service" drop constraint "catalog_service_service_type_unique"`,
  `create unique index "catalog_service_service_type_index" on "services"."catalog_service" ("service_type") where "retired_at" is null`,
  `create table "services"."catalog_price_change" (
     "id" text primary key,
     "catalog_id" text not null,
     "item" text not null,
     "old" numeric(18,4) null,
     "new" numeric(18,4) null,
     "changed_by" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "catalog_price_change_catalog_id_created_at_index" on "services"."catalog_price_change" ("catalog_id", "created_at")`,
]);
