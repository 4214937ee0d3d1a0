import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds quotes, discounts for terms, and installation fees. A service stores the quote, term, discount and fee of its
 * order. The previous release orders services without them.
 */
export const quotes = migration('0014-quotes', [
  `alter table "services"."catalog_service" add column "installation_fee" numeric(18,4) not null default 0`,
  `update "services"."catalog_service" set "installation_fee" = f."fee"
     from (values ('business_fiber', 199), ('business_cable', 99), ('fixed_wireless_access', 149), ('business_dsl', 49), ('mpls_network', 99), ('sd_wan', 79)) as f("id", "fee")
     where "catalog_service"."id" = f."id"`,
  `create table "services"."catalog_term_discount" ("months" int primary key, "percent" numeric(18,4) not null)`,
  `insert into "services"."catalog_term_discount" ("months", "percent") values (12, 5), (24, 10), (36, 15)`,
  `alter table "services"."service"
     add column "quote_id" text null,
     add column "term_months" int null,
     add column "discount_percent" numeric(18,4) not null default 0,
     add column "one_time_fee" numeric(18,4) not null default 0`,
  `create table "services"."quote" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "decision" text null,
     "billing_cycle" text not null,
     "term_months" int null,
     "discount_percent" numeric(18,4) not null,
     "monthly_total" numeric(18,4) not null,
     "one_time_total" numeric(18,4) not null,
     "currency" text not null,
     "valid_until" timestamptz(3) not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "quote_organization_id_created_at_id_index" on "services"."quote" ("organization_id", "created_at", "id")`,
  `create index "quote_organization_id_account_id_created_at_index" on "services"."quote" ("organization_id", "account_id", "created_at")`,
  `alter table "services"."quote" add constraint "quote_decision_check" check ("decision" in ('accepted', 'rejected'))`,
  `alter table "services"."quote" add constraint "quote_billing_cycle_check" check ("billing_cycle" in ('monthly', 'quarterly', 'annual'))`,
  `create table "services"."quote_line" (
     "quote_id" text not null,
     "position" int not null,
     "organization_id" text not null,
     "catalog_id" text not null,
     "service_type" text not null,
     "bandwidth_mbps" int null,
     "sla" text null,
     "users" int not null,
     "features" jsonb not null,
     "location" jsonb null,
     "available" bool not null,
     "error" jsonb null,
     "price_lines" jsonb not null,
     "monthly_price" numeric(18,4) not null,
     "one_time_price" numeric(18,4) not null,
     "service_id" text null,
     primary key ("quote_id", "position")
   )`,
  `alter table "services"."quote_line" add constraint "quote_line_quote_id_foreign" foreign key ("quote_id") references "services"."quote" ("id")`,
]);
