import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Measures the periods of costs as invoices do (calculation/proration.ts): a day whose first hour the clocks skip starts at 00:00, not at
 * 01:00. Existing costs are not computed again: only a line whose period starts or ends on such a day differs, by a cent between two of
 * its months.
 */
export const costDays = migration('0022-cost-days', [
  // the local time that clocks have reached; at a moment of a skip, midnight if the skip crosses the start of a day
  `create function "billing"."local_time_reached"("time" timestamptz, "zone" text) returns timestamp language sql stable as
     $$ select greatest(($1 - interval '1 millisecond') at time zone $2 + interval '1 millisecond', date_trunc('day', $1 at time zone $2)) $$`,
  `create or replace function "billing"."cost_months"("amount" numeric, "currency" text, "zone" text, "issued_at" timestamptz,
       "period_start" timestamptz, "period_end" timestamptz) returns table ("month" date, "share" numeric) language sql stable as
     $$
       with period as (
         select "billing"."local_time_reached"(coalesce($5, $4), z) as "first", "billing"."local_time_reached"(coalesce($6, $4), z) as "last"
         from "billing"."known_zone"($3) z
       ), months as (
         select "first", "last", "start" from period, generate_series(date_trunc('month', "first"),
           case when "last" > "first" then "last" - interval '1 millisecond' else "first" end, interval '1 month') "start"
       ), cumulated as (
         select "start", case when "start" + interval '1 month' >= "last" then $1 else round($1 * extract(epoch from "start" + interval '1 month' - "first")
           / extract(epoch from "last" - "first"), "billing"."minor_digits"($2)) end as "sum" from months
       )
       select "start"::date, "sum" - lag("sum", 1, 0) over (order by "start") from cumulated
     $$`,
]);
