import { recount, type SumTable, sumTable } from '../sums/sum-table.ts';

/**
 * Daily sums (UTC) of the amounts invoiced, collected, refunded and credited, from the ledger. Includes the numbers of successful and
 * failed payments.
 */
export const REVENUE_DAY: SumTable = {
  table: 'revenue_day',
  cell: ['organization_id', 'account_id', 'currency', 'day'],
  sums: ['invoiced', 'collected', 'refunded', 'credited', 'payments_successful', 'payments_failed'],
  backfill: 'revenue-day',
};

/** The unpaid amount of open invoices for each due date (UTC). */
export const DUE_DAY: SumTable = {
  table: 'due_day',
  cell: ['organization_id', 'account_id', 'currency', 'day'],
  sums: ['amount'],
  backfill: 'due-day',
};

/** Changes of the monthly recurring revenue on each day (UTC), for each cause. The changes of all days add up to the current revenue. */
export const RECURRING_DAY: SumTable = {
  table: 'recurring_day',
  cell: ['organization_id', 'account_id', 'currency', 'day'],
  sums: ['added', 'expanded', 'contracted', 'churned'],
};

const DAY = (column: string): string => `(${column} at time zone 'UTC')::date`;
const LEVELS = (row: string): string => `(values (${row}."account_id"), ('')) as level("account_id")`;

/** Returns SQL for the sums of a ledger transfer: the invoiced, collected, refunded and credited amounts. */
const MOVED = (row: string): string => {
  const column = (name: string): string => `${row}."${name}"`;
  const [debit, credit, kind, amount] = [column('debit'), column('credit'), column('kind'), column('amount')];
  const isCorrection = `(${kind} like 'cancel%' or ${kind} like 'change%')`;
  return [
    `case when ${debit} = 'receivable' and ${credit} in ('revenue', 'tax') then ${amount}
       when ${credit} = 'receivable' and ${debit} in ('revenue', 'tax') and ${isCorrection} then -${amount} else 0 end`,
    `case when ${debit} like 'cash:%' then ${amount} else 0 end`,
    `case when ${credit} like 'cash:%' then ${amount} else 0 end`,
    `case when ${credit} in ('receivable', 'credit') and ${debit} not like 'cash:%' and ${debit} not in ('credit', 'receivable') and not ${isCorrection}
       then ${amount} else 0 end`,
  ].join(', ');
};
const IS_OUTCOME = (row: string): string => `${row}."status" in ('successful', 'failed') and ${row}."processed_at" is not null`;
const OUTCOME = (row: string, sign: '' | '-'): string =>
  `${sign}case when ${row}."status" = 'successful' then 1 else 0 end, ${sign}case when ${row}."status" = 'failed' then 1 else 0 end`;
const DUE = (row: string): string =>
  `case when ${row}."status" in ('pending', 'overdue') then ${row}."amount" - ${row}."amount_paid" - ${row}."amount_credited" - ${row}."credit_applied" else 0 end`;

const APPEND_DUE = `insert into "billing"."due_day" ("organization_id", "account_id", "currency", "day", "amount")`;
const appendDue = (row: 'old' | 'new', sign: '' | '-'): string =>
  `${APPEND_DUE} select ${row}."organization_id", level."account_id", ${row}."currency", ${DAY(`${row}."due_date"`)}, ${sign}(${DUE(row)})
     from ${LEVELS(row)} where ${DUE(row)} <> 0`;
const appendOutcome = (row: 'old' | 'new', sign: '' | '-'): string =>
  `insert into "billing"."revenue_day" ("organization_id", "account_id", "currency", "day", "payments_successful", "payments_failed")
     select ${row}."organization_id", level."account_id", ${row}."currency", ${DAY(`${row}."processed_at"`)}, ${OUTCOME(row, sign)}
     from ${LEVELS(row)} where ${IS_OUTCOME(row)}`;

const triggerFunction = (name: string, ...statements: string[]): string =>
  `create function "billing"."${name}"() returns trigger language plpgsql as $$ begin ${statements.join('; ')}; return null; end $$`;
const EXISTS = 'exists (select from "billing"."invoice")';

/** The SQL with which a migration creates the sums of revenue. Triggers update the sums. */
export const REVENUE_TABLES: readonly string[] = [
  ...sumTable(REVENUE_DAY),
  ...sumTable(DUE_DAY),
  ...sumTable(RECURRING_DAY),
  `create table "billing"."recurring_service" (
     "organization_id" text not null,
     "service_id" text not null,
     "account_id" text not null,
     "currency" text not null,
     "monthly" numeric(18,4) not null,
     "changed_at" timestamptz(3) not null,
     primary key ("organization_id", "service_id"),
     constraint "recurring_service_check" check ("monthly" >= 0)
   )`,
  triggerFunction(
    'add_revenue',
    `insert into "billing"."revenue_day" ("organization_id", "account_id", "currency", "day", "invoiced", "collected", "refunded", "credited")
       select new."organization_id", level."account_id", new."currency", ${DAY('new."created_at"')}, moved.* from ${LEVELS('new')},
         (select ${MOVED('new')}) as moved("invoiced", "collected", "refunded", "credited")
       where ("invoiced", "collected", "refunded", "credited") <> (0, 0, 0, 0)`,
  ),
  `create trigger "ledger_transfer_revenue" after insert on "billing"."ledger_transfer" for each row execute function "billing"."add_revenue"()`,
  triggerFunction('count_payment', appendOutcome('old', '-'), appendOutcome('new', '')),
  `create trigger "payment_outcome" after update of "status" on "billing"."payment" for each row when (old."status" <> new."status")
     execute function "billing"."count_payment"()`,
  triggerFunction('add_due', appendDue('new', '')),
  triggerFunction('change_due', appendDue('old', '-'), appendDue('new', '')),
  `create trigger "invoice_due_added" after insert on "billing"."invoice" for each row execute function "billing"."add_due"()`,
  `create trigger "invoice_due_changed" after update on "billing"."invoice" for each row
     when ((old."status", old."amount", old."amount_paid", old."amount_credited", old."credit_applied", old."due_date")
       is distinct from (new."status", new."amount", new."amount_paid", new."amount_credited", new."credit_applied", new."due_date"))
     execute function "billing"."change_due"()`,
  ...recount(
    REVENUE_DAY,
    `select "organization_id", "account_id", "currency", "day", sum("invoiced"), sum("collected"), sum("refunded"), sum("credited"), sum("successful"),
         sum("failed"), true from (
       select t."organization_id", level."account_id", t."currency", ${DAY('t."created_at"')} as "day", moved.*, 0 as "successful", 0 as "failed"
         from "billing"."ledger_transfer" t, lateral ${LEVELS('t')}, lateral (select ${MOVED('t')}) as moved("invoiced", "collected", "refunded", "credited")
         where t."organization_id" = $1
       union all
       select p."organization_id", level."account_id", p."currency", ${DAY('p."processed_at"')}, 0, 0, 0, 0, ${OUTCOME('p', '')}
         from "billing"."payment" p, lateral ${LEVELS('p')} where p."organization_id" = $1 and ${IS_OUTCOME('p')}
     ) r group by 1, 2, 3, 4`,
    EXISTS,
  ),
  ...recount(
    DUE_DAY,
    `select i."organization_id", level."account_id", i."currency", ${DAY('i."due_date"')}, sum(${DUE('i')}), true
       from "billing"."invoice" i, lateral ${LEVELS('i')} where i."organization_id" = $1 and ${DUE('i')} <> 0 group by 1, 2, 3, 4`,
    EXISTS,
  ),
];
