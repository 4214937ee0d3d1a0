import type pg from 'pg';

/** Number of invoices of each customer except the largest customer. */
export const INVOICES_EACH = 100;
/** Share of all invoices that belong to the largest customer. */
const LARGEST_SHARE = 0.1;
/** Number of days over which the invoices are spread. */
export const DAYS = 730;
/** Number of accounts whose services have usage. It does not depend on the number of invoices. */
const METERED_ACCOUNTS = 20;
const METERED_SERVICES = 10;
const METERED_DAYS = 60;

/**
 * Inserts invoices of two years into an organization, with their lines, payments and transfers in the ledger. The triggers of the tables do
 * not run, because they would take most of an hour. The data that the triggers would write is computed afterwards: tallies and sums by the
 * functions of the platform's backfills, balances and collections by the SQL below.
 */
export async function seedInvoices(client: pg.Client, organizationId: string, count: number): Promise<void> {
  const customers = Math.max(1, Math.floor((count * (1 - LARGEST_SHARE)) / INVOICES_EACH));
  await client.query('begin');
  await client.query("set local maintenance_work_mem = '512MB'");
  for (const table of TRIGGERED) await client.query(`alter table "billing"."${table}" disable trigger user`);
  await client.query(ACCOUNTS, [organizationId, customers]);
  await client.query(METHODS, [organizationId]);
  await client.query(INVOICES, [organizationId, count, customers, DAYS]);
  for (const text of [LINES, PAYMENTS, FAILED, ISSUES, TAXES, PAID, BALANCES, COLLECTIONS, DUNNING])
    await client.query(text, [organizationId]);
  await client.query(USAGE, [organizationId, METERED_ACCOUNTS, METERED_SERVICES, METERED_DAYS]);
  await client.query(COUNTER, [organizationId, count]);
  for (const table of TRIGGERED) await client.query(`alter table "billing"."${table}" enable trigger user`);
  for (const name of RECOUNTED) await client.query(`select "billing"."recount_${name}"($1)`, [organizationId]);
  await client.query('commit');
}

const TRIGGERED = ['invoice', 'invoice_line', 'payment', 'ledger_transfer'];
const RECOUNTED = [
  'invoice_tally',
  'invoice_account_tally',
  'payment_tally',
  'payment_account_tally',
  'revenue_day',
  'due_day',
  'cost_month',
];

/** The id of a record of the organization `$1`. */
const id = (prefix: string, number: string): string => `'${prefix}_' || md5($1::text || ${number})`;

/** SQL that inserts the accounts. Customer 0 is the largest customer. */
const ACCOUNTS = `
  insert into "identity"."account" ("id", "customer_id", "organization_id", "name", "email", "timezone", "metadata", "created_at", "updated_at")
  select ${id('acc', 'n')}, ${id('cust', 'n')}, $1::text, 'Customer ' || n, 'it@customer.example.com', 'UTC', '{}', now(), now()
  from generate_series(0, $2::int) n`;

const METHODS = `
  insert into "billing"."payment_method" ("id", "organization_id", "account_id", "processor", "reference", "type", "brand", "last4", "reusable", "created_at")
  select 'pm_' || substr("id", 5), "organization_id", "id", 'test', 'tok_visa', 'card', 'visa', '4242', true, now()
  from "identity"."account" where "organization_id" = $1 and not "own"`;

/**
 * SQL that inserts the invoices in the order of their numbers, which is the order of their creation. Two thirds of the invoices of the last
 * 30 days are open; a few earlier invoices are overdue or cancelled.
 */
const INVOICES = `
  insert into "billing"."invoice" ("id", "organization_id", "number", "account_id", "status", "amount", "tax_amount", "amount_paid", "currency",
    "due_date", "paid_date", "created_at", "updated_at", "timezone", "status_due_at", "bill_to", "seller")
  select ${id('inv', 'n')}, $1::text, 'INV-' || 1000 + n, "account_id", "status", "net" + "tax", "tax", case when "status" = 'paid' then "net" + "tax" else 0 end,
    'USD', "at" + interval '30 days', case when "status" = 'paid' then "at" + interval '5 days' end, "at", "at", 'UTC',
    case when "status" = 'pending' then date_trunc('day', "at" at time zone 'UTC') at time zone 'UTC' + interval '31 days' end,
    '{"name": "Customer", "address": ["350 Fifth Avenue", "10118 New York NY", "US"], "taxId": null}',
    '{"name": "Example Telecom", "address": [], "taxId": null, "footer": null}'
  from (
    select n, at, net, round(net * 0.08, 2) as tax,
      ${id('acc', 'case when n % 10 = 0 then 0 else 1 + abs(hashint4(n)::bigint) % $3::int end')} as "account_id",
      case when n % 50 = 7 then 'cancelled' when at > now() - interval '30 days' then case when n % 3 = 0 then 'paid' else 'pending' end
        when n % 40 = 3 then 'overdue' else 'paid' end as "status"
    from (select n, now() - interval '1 minute' - ($2::int - n) * ($4::int * interval '1 day' / $2::int) as at, 20 + abs(hashint4(n)::bigint) % 50000 / 100.0 as net
      from generate_series(1, $2::int) n) one
  ) i`;

const LINES = `
  insert into "billing"."invoice_line" ("invoice_id", "position", "organization_id", "service_id", "description", "quantity", "unit_price", "amount",
    "kind", "category")
  select "id", 0, "organization_id", 'svc_' || substr("account_id", 5), 'Business fiber 1 Gbit/s', 1, "amount" - "tax_amount", "amount" - "tax_amount",
    'service', 'connectivity'
  from "billing"."invoice" where "organization_id" = $1`;

const PAYMENTS = `
  insert into "billing"."payment" ("id", "organization_id", "account_id", "invoice_id", "payment_method_id", "status", "amount", "amount_applied", "currency",
    "processor", "simulated", "reference", "transaction_id", "processed_at", "created_at", "updated_at")
  select 'pay_' || substr("id", 5), "organization_id", "account_id", "id", 'pm_' || substr("account_id", 5), 'successful', "amount", "amount", "currency",
    'test', true, 'test_pay_' || substr("id", 5), 'txn_' || substr("id", 5), "paid_date", "paid_date", "paid_date"
  from "billing"."invoice" where "organization_id" = $1 and "status" = 'paid'`;

/** SQL that inserts a failed payment for every hundredth paid invoice. */
const FAILED = `
  insert into "billing"."payment" ("id", "organization_id", "account_id", "invoice_id", "payment_method_id", "status", "amount", "currency", "processor",
    "simulated", "decline_code", "decline_is_final", "processed_at", "created_at", "updated_at")
  select 'pay_' || md5("id"), "organization_id", "account_id", "id", 'pm_' || substr("account_id", 5), 'failed', "amount", "currency", 'test', true,
    'insufficient_funds', false, "paid_date" - interval '1 day', "paid_date" - interval '1 day', "paid_date" - interval '1 day'
  from "billing"."invoice" where "organization_id" = $1 and "status" = 'paid' and substr("number", 5)::int % 100 = 1`;

const transfers = (kind: string, debit: string, credit: string, amount: string, where: string): string => `
  insert into "billing"."ledger_transfer"
  select "organization_id", "id", '${kind}', "account_id", "id", "currency", '${debit}', '${credit}', ${amount}, "created_at"
  from "billing"."invoice" where "organization_id" = $1 and ${where}`;
const ISSUES = `${transfers('issue', 'receivable', 'revenue', '"amount" - "tax_amount"', 'true')}
  union all select "organization_id", "id", 'cancel', "account_id", "id", "currency", 'revenue', 'receivable', "amount" - "tax_amount", "created_at"
  from "billing"."invoice" where "organization_id" = $1 and "status" = 'cancelled'`;
const TAXES = `${transfers('tax', 'receivable', 'tax', '"tax_amount"', 'true')}
  union all select "organization_id", "id", 'cancel_tax', "account_id", "id", "currency", 'tax', 'receivable', "tax_amount", "created_at"
  from "billing"."invoice" where "organization_id" = $1 and "status" = 'cancelled'`;
const PAID = `
  insert into "billing"."ledger_transfer"
  select "organization_id", "id", 'payment', "account_id", "invoice_id", "currency", 'cash:test', 'receivable', "amount", "processed_at"
  from "billing"."payment" where "organization_id" = $1 and "status" = 'successful'`;

const BALANCES = `
  insert into "billing"."account_balance" ("organization_id", "account_id", "currency", "receivable")
  select "organization_id", "account_id", "currency",
    sum(case when "debit" = 'receivable' then "amount" when "credit" = 'receivable' then -"amount" else 0 end)
  from "billing"."ledger_transfer" where "organization_id" = $1 group by 1, 2, 3`;

/** SQL that marks the reminders of overdue invoices as sent. As a result, no background work is due during the measurement. */
const COLLECTIONS = `
  insert into "billing"."collection" ("id", "organization_id", "account_id", "overdue_at", "reminders", "attempts")
  select "id", "organization_id", "account_id", date_trunc('day', "due_date" at time zone 'UTC') at time zone 'UTC' + interval '1 day', 9, 9
  from "billing"."invoice" where "organization_id" = $1 and "status" in ('pending', 'overdue')`;
const DUNNING = `
  insert into "billing"."dunning" ("id", "organization_id", "state", "since", "due_at")
  select "account_id", "organization_id", case when bool_or("overdue_at" < now()) then 'overdue' else 'current' end, now(), now() + interval '1 day'
  from "billing"."collection" where "organization_id" = $1 group by 1, 2`;

const USAGE = `
  insert into "billing"."usage_day" ("organization_id", "service_id", "metric", "day", "account_id", "category", "type", "service_type", "currency",
    "quantity", "events")
  select $1::text, ${id('svc', "a || '-' || s")}, 'voice_minutes', (now() at time zone 'UTC')::date - d, ${id('acc', 'a')}, 'voice', 'voice', 'sip', 'USD', 100, 10
  from generate_series(1, $2::int) a, generate_series(1, $3::int) s, generate_series(0, $4::int) d`;

const COUNTER = `
  insert into "billing"."invoice_counter" values ($1, 1000 + $2::int) on conflict ("organization_id") do update set "last" = excluded."last"`;
