/**
 * SQL statements that create the tables of the test processor. A null `decline_code` means success. Before
 * `settles_at`, a charge is pending.
 */
export const TEST_PROCESSOR_TABLES: readonly string[] = [
  `create table "billing"."test_processor_charge" (
     "organization_id" text not null,
     "id" text not null,
     "account_id" text not null,
     "method" text not null,
     "amount" numeric(18,4) not null,
     "currency" text not null,
     "decline_code" text null,
     "settles_at" timestamptz(3) not null,
     "created_at" timestamptz(3) not null,
     primary key ("organization_id", "id"),
     constraint "test_processor_charge_amount_check" check ("amount" > 0)
   )`,
  `create table "billing"."test_processor_refund" (
     "organization_id" text not null,
     "id" text not null,
     "charge_id" text not null,
     "amount" numeric(18,4) not null,
     "currency" text not null,
     "decline_code" text null,
     "created_at" timestamptz(3) not null,
     primary key ("organization_id", "id"),
     constraint "test_processor_refund_amount_check" check ("amount" > 0),
     foreign key ("organization_id", "charge_id") references "billing"."test_processor_charge" ("organization_id", "id")
   )`,
  `create index "test_processor_refund_organization_id_charge_id_index" on "billing"."test_processor_refund" ("organization_id", "charge_id")`,
];
