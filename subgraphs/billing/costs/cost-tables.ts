import { recount, type SumTable, sumTable } from '../sums/sum-table.ts';

/**
 * Costs of services in each month, without tax and after deduction of credits. A row with an empty `service_id` is the
 * sum of an account. A row that also has an empty `account_id` is the sum of the organization.
 */
export const COST_MONTH: SumTable = {
  table: 'cost_month',
  cell: ['organization_id', 'account_id', 'service_id', 'currency', 'month', 'category'],
  sums: ['amount'],
  backfill: 'cost-month',
};

/** SQL for the three rows to which each amount of a service is added: the sums of the service, the account and the organization. */
const LEVELS = `(values ("account", "service"), ("account", ''), ('', '')) as level("account_id", "service_id")`;
const MONTHS = `"billing"."cost_months"("amount", "currency", "zone", "issued_at", "period_start", "period_end") m`;
const CATEGORIES = `'connectivity', 'voice', 'cloud', 'security', 'ai'`;
const cellsOf = (from: string, sign: '' | '-', where: string, more = ''): string =>
  `select s."organization_id", level."account_id", level."service_id", s."currency", m."month", s."category", ${sign}sum(m."share")${more}
   from (${from}) s, lateral ${MONTHS.replaceAll(/"(amount|currency|zone|issued_at|period_start|period_end)"/g, 's."$1"')},
     lateral ${LEVELS.replaceAll(/"(account|service)"/g, 's."$1"')}
   where ${where} group by 1, 2, 3, 4, 5, 6`;

/** SQL that selects amounts to add to the costs: lines of invoices, or credits as negative amounts. The alias of both is `l`. */
const sourceOf = (table: string, amount: string, category: string): string =>
  `select i."organization_id", i."account_id" as "account", l."service_id" as "service", i."currency", i."timezone" as "zone",
     i."created_at" as "issued_at", i."id" as "invoice_id", i."status", ${amount} as "amount", l."period_start", l."period_end",
     case when ${category} in (${CATEGORIES}) then ${category} else 'other' end as "category"
   from ${table} l join "billing"."invoice" i on i."id" = l."invoice_id"`;
const LINES = (table: string): string => sourceOf(table, 'l."amount"', 'l."category"');
const CREDITS = (table: string): string => sourceOf(table, '-l."amount"', 'l."category"');

const APPEND = `insert into "billing"."cost_month" ("organization_id", "account_id", "service_id", "currency", "month", "category", "amount")`;
const COUNTS = `s."status" <> 'cancelled' and s."amount" <> 0`;

const triggerFunction = (name: string, statement: string): string =>
  `create function "billing"."${name}"() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`;

/**
 * SQL with which a migration creates the table of costs. Database triggers update the costs, so that invoices from processes of the
 * previous release are included.
 */
export const COST_TABLES: readonly string[] = [
  // zone of the account at the issue, in whose months the lines count. Null, from previous releases: UTC
  `alter table "billing"."invoice" add column "timezone" text null`,
  `create table "billing"."cost_credit" (
     "organization_id" text not null,
     "source" text not null,
     "position" int not null,
     "invoice_id" text not null references "billing"."invoice" ("id"),
     "service_id" text not null,
     "category" text null,
     "amount" numeric(18,4) not null,
     "period_start" timestamptz(3) null,
     "period_end" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     primary key ("organization_id", "source", "position"),
     constraint "cost_credit_amount_check" check ("amount" > 0)
   )`,
  `create index "cost_credit_invoice_index" on "billing"."cost_credit" ("organization_id", "invoice_id")`,
  ...sumTable(COST_MONTH),
  `create function "billing"."minor_digits"("currency" text) returns int language sql immutable as $$
     select case
       when $1 in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then 0
       when $1 in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
       when $1 in ('CLF', 'UYW') then 4 else 2 end $$`,
  // a zone that this database does not know must not keep an invoice from being issued
  `create function "billing"."known_zone"("zone" text) returns text language plpgsql stable as
     $$ begin
       if "zone" is null then return 'UTC'; end if;
       perform now() at time zone "zone";
       return "zone";
     exception when invalid_parameter_value then return 'UTC';
     end $$`,
  // shares are differences of rounded cumulative amounts, so that they add up to the amount (calculation/share.ts)
  `create function "billing"."cost_months"("amount" numeric, "currency" text, "zone" text, "issued_at" timestamptz, "period_start" timestamptz,
       "period_end" timestamptz) returns table ("month" date, "share" numeric) language sql stable as
     $$
       with period as (
         select coalesce($5, $4) at time zone z as "first", coalesce($6, $4) at time zone z as "last" from "billing"."known_zone"($3) z
       ), months as (
         select "first", "last", "start" from period, generate_series(date_trunc('month', "first"),
           case when "last" > "first" then "last" - interval '1 millisecond' else "first" end, interval '1 month') "start"
       ), cumulated as (
         select "start", case when "start" + interval '1 month' >= "last" then $1 else round($1 * extract(epoch from "start" + interval '1 month' - "first")
           / extract(epoch from "last" - "first"), "billing"."minor_digits"($2)) end as "sum" from months
       )
       select "start"::date, "sum" - lag("sum", 1, 0) over (order by "start") from cumulated
     $$`,
  triggerFunction('add_costs', `${APPEND} ${cellsOf(LINES('added'), '', COUNTS)}`),
  triggerFunction('remove_costs', `${APPEND} ${cellsOf(LINES('removed'), '-', COUNTS)}`),
  triggerFunction('credit_costs', `${APPEND} ${cellsOf(CREDITS('added'), '', COUNTS)}`),
  triggerFunction(
    'cancel_costs',
    `${APPEND} ${cellsOf(
      `${LINES('"billing"."invoice_line"')} where i."id" = new."id" union all ${CREDITS('"billing"."cost_credit"')} where i."id" = new."id"`,
      '-',
      's."amount" <> 0',
    )}`,
  ),
  `create trigger "invoice_line_cost_added" after insert on "billing"."invoice_line" referencing new table as added
     for each statement execute function "billing"."add_costs"()`,
  `create trigger "invoice_line_cost_removed" after delete on "billing"."invoice_line" referencing old table as removed
     for each statement execute function "billing"."remove_costs"()`,
  `create trigger "cost_credit_added" after insert on "billing"."cost_credit" referencing new table as added
     for each statement execute function "billing"."credit_costs"()`,
  `create trigger "invoice_cost_cancelled" after update of "status" on "billing"."invoice" for each row
     when (old."status" <> 'cancelled' and new."status" = 'cancelled') execute function "billing"."cancel_costs"()`,
  ...recount(
    COST_MONTH,
    cellsOf(
      `${LINES('"billing"."invoice_line"')} where i."organization_id" = $1 union all ${CREDITS('"billing"."cost_credit"')} where i."organization_id" = $1`,
      '',
      COUNTS,
      ', true',
    ),
    'exists (select from "billing"."invoice")',
  ),
];
