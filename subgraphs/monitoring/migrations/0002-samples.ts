import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Returns the SQL that creates a rollup table. `first` and `last` are the values of the first and the last sample, and `increase` is the
 * sum of the increases of a counter. `sketch_index` and `sketch_amount` are the buckets of the sketch from which percentiles are computed.
 */
const rollup = (name: string): string => `
  create table "monitoring"."${name}" (
    "series_id" int not null,
    "at" timestamptz(3) not null,
    "samples" bigint not null,
    "sum" double precision not null,
    "min" double precision not null,
    "max" double precision not null,
    "first" double precision not null,
    "last" double precision not null,
    "increase" double precision null,
    "sketch_index" smallint[] null,
    "sketch_amount" bigint[] null,
    primary key ("series_id", "at")
  ) partition by range ("at")`;

/**
 * Adds samples and their rollups. Samples before `frozen_until` are late: `late_minute` lists their minutes until the rollups contain them.
 * 1-minute rollups are complete before `minutes_until`, and 15-minute rollups before `quarters_until`.
 */
export const samples = migration('0002-samples', [
  `create table "monitoring"."sample" (
     "series_id" int not null,
     "at" timestamptz(3) not null,
     "value" double precision not null,
     primary key ("series_id", "at")
   ) partition by range ("at")`,
  // samples come roughly in the order of time, so this index is tiny
  `create index "sample_at_index" on "monitoring"."sample" using brin ("at")`,
  rollup('rollup_1m'),
  rollup('rollup_15m'),
  `create table "monitoring"."late_minute" (
     "id" bigint generated always as identity primary key,
     "series_id" int not null,
     "at" timestamptz(3) not null
   )`,
  `create table "monitoring"."rollup_state" (
     "only" boolean primary key default true,
     "frozen_until" timestamptz(3) not null default 'epoch',
     "minutes_until" timestamptz(3) not null default 'epoch',
     "quarters_until" timestamptz(3) not null default 'epoch',
     constraint "rollup_state_only_check" check ("only")
   )`,
  `insert into "monitoring"."rollup_state" default values`,
  `alter table "monitoring"."series" add column "active_at" timestamptz(3) not null default now()`,
  `create index "series_organization_id_active_at_index" on "monitoring"."series" ("organization_id", "active_at")`,
  `create index "series_active_at_index" on "monitoring"."series" ("active_at")`,
]);
