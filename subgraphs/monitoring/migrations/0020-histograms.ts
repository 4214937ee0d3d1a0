import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * A sample of a histogram also has the distribution of the measured values: their number and sum, and how many are in each
 * bucket of a sketch (`samples/sketch.ts`). `min` and `max` are null if they were not sent. Samples of other metrics have
 * none, which takes no space.
 */
export const histograms = migration('0020-histograms', [
  `create type "monitoring"."distribution" as (
     "count" bigint, "sum" double precision, "min" double precision, "max" double precision, "index" smallint[], "amount" bigint[]
   )`,
  `alter table "monitoring"."sample" add column "distribution" "monitoring"."distribution" null`,
]);
