import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { RunAnswer, RunQuestion } from './billing-run.server.ts';
import { onScratch } from './scratch-database.ts';

export interface RunRow {
  name: string;
  invoicesPerSecond: number;
  /** Rate of invoices, divided by the rate of one process. */
  ratio: number;
  /** Processor time per invoice, as the sum over all processes of the platform, in milliseconds. */
  cpuMsPerInvoice: number;
  /** Processor time per invoice, divided by the processor time of one process. */
  cpuRatio: number;
  /** Number of invoices that are missing or were issued twice, plus the number of missing invoice numbers. */
  mistakes: number;
}

const ORGANIZATIONS = 20;
const ACCOUNTS = 100;
const SERVICES = 2;
const ROUNDS = 3;
const WARM_UP_ACCOUNTS = 100;
const POLL_MS = 25;

/**
 * Measurement (q): bills subscriptions of many organizations that are due at the same time. Each has one account, services with one period
 * to bill, and a tax rate. One process and two processes bill in turns, each round for new organizations.
 */
export const measureRun = (): Promise<RunRow[]> =>
  onScratch('bench_run', async (env) => {
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    const first = await startProcess(env);
    await round(client, [first], WARM_UP_ACCOUNTS);
    const [one, two]: [Round[], Round[]] = [[], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      one.push(await round(client, [first], ACCOUNTS));
      const second = await startProcess(env);
      await round(client, [first, second], WARM_UP_ACCOUNTS);
      two.push(await round(client, [first, second], ACCOUNTS));
      await stopProcess(second);
    }
    await stopProcess(first);
    await client.end();
    return [rowOf('one process', one, one), rowOf('two processes', two, one)];
  });

interface Round {
  seconds: number;
  cpuMs: number;
  invoices: number;
  mistakes: number;
}

async function startProcess(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./billing-run.server.js', import.meta.url));
  const child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, 'exit');
}

async function ask<A extends RunAnswer>(child: ChildProcess, question: RunQuestion): Promise<A> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [A];
  return answer;
}

/**
 * Makes the processes bill accounts of new organizations. The measured time begins when all subscriptions become due, in one transaction.
 */
async function round(client: pg.Client, processes: readonly ChildProcess[], accounts: number): Promise<Round> {
  const [first] = processes as [ChildProcess];
  const ids = await ask<string[]>(first, { organizations: ORGANIZATIONS });
  await client.query(SEED, [ids, accounts, SERVICES]);
  await client.query('analyze');
  const cpu = async (): Promise<number> => (await Promise.all(processes.map((one) => ask<number>(one, 'cpu')))).reduce((a, b) => a + b);
  const before = await cpu();
  const started = performance.now();
  await client.query(`update "billing"."subscription" set "bill_due_at" = now() - interval '1 hour' where "organization_id" = any($1)`, [
    ids,
  ]);
  for (;;) {
    const { rows } = await client.query<{ due: number }>(
      `select count(*)::int as due from "billing"."subscription" where "organization_id" = any($1) and "bill_due_at" <= now()`,
      [ids],
    );
    if (rows[0]?.due === 0) break;
    await delay(POLL_MS);
  }
  const seconds = (performance.now() - started) / 1000;
  // the events of the last invoices are still on their way
  await untilRelayed(client);
  const cpuMs = (await cpu()) - before;
  const { rows } = await client.query<{ mistakes: number }>(MISTAKES, [ids, accounts, SERVICES]);
  return { seconds, cpuMs, invoices: ids.length * accounts, mistakes: rows[0]?.mistakes ?? -1 };
}

async function untilRelayed(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select 1 from "billing"."outbox" limit 1');
    if (rows.length === 0) return;
    await delay(POLL_MS);
  }
}

function rowOf(name: string, rounds: readonly Round[], ofOne: readonly Round[]): RunRow {
  const speed = medianOf(rounds, ({ invoices, seconds }) => invoices / seconds);
  const cpu = medianOf(rounds, ({ invoices, cpuMs }) => cpuMs / invoices);
  return {
    name,
    invoicesPerSecond: Math.round(speed),
    ratio: digits(speed / medianOf(ofOne, ({ invoices, seconds }) => invoices / seconds)),
    cpuMsPerInvoice: digits(cpu),
    cpuRatio: digits(cpu / medianOf(ofOne, ({ invoices, cpuMs }) => cpuMs / invoices)),
    mistakes: rounds.reduce((sum, { mistakes }) => sum + mistakes, 0),
  };
}

const digits = (value: number): number => Number(value.toFixed(2));
const medianOf = (rounds: readonly Round[], of: (one: Round) => number): number =>
  rounds.map(of).sort((one, other) => one - other)[rounds.length >> 1] ?? 0;

/**
 * SQL that creates, for each organization (`$1`), a tax rate and `$2` accounts, each with a subscription of `$3` services that is due once.
 */
const SEED = `
  with organization as (
    select id from unnest($1::text[]) id
  ), rate as (
    insert into "billing"."tax_rate" ("id", "organization_id", "name", "percent", "country", "valid_from", "created_at", "updated_at")
    select 'txr_' || md5(id), id, 'VAT', 19, 'DE', '2020-01-01', now(), now() from organization
  ), account as (
    insert into "identity"."account" ("id", "customer_id", "organization_id", "name", "email", "billing_address", "timezone", "metadata", "created_at",
      "updated_at")
    select 'acc_' || md5(id || n), 'cust_' || md5(id || n), id, 'Customer ' || n, 'it@customer.example.com',
      '{"street": "Hafenstraße 12", "city": "Hamburg", "state": null, "zip": "20457", "country": "DE"}', 'Europe/Berlin', '{}', now(), now()
    from organization, generate_series(1, $2::int) n returning "id", "organization_id"
  ), period as (
    select at at time zone 'Europe/Berlin' as "start", (at + interval '1 month') at time zone 'Europe/Berlin' as "end",
      to_char(at, 'YYYY-MM-DD') as "anchor"
    from (select date_trunc('day', now() at time zone 'Europe/Berlin') - interval '1 month 1 day' as at) p
  ), subscription as (
    insert into "billing"."subscription" ("id", "organization_id", "account_id", "kind", "currency", "start_date", "created_at", "updated_at")
    select 'sub_' || md5(a."id"), a."organization_id", a."id", 'automatic', 'EUR', p."start", now(), now() from account a, period p
    returning "id", "organization_id", "account_id"
  )
  insert into "billing"."subscription_item" ("id", "organization_id", "account_id", "subscription_id", "service_id", "name", "category", "state",
    "billing_cycle", "service_cycle", "price", "priced_at", "auto_renew", "anchor", "months", "starts_at", "period_start", "billed_until",
    "metered_until", "created_at")
  select 'sit_' || md5(s."id" || n), s."organization_id", s."account_id", s."id", 'svc_' || md5(s."id" || n), 'Business fiber ' || n, 'connectivity',
    'active', 'monthly', 'monthly', 99.9, p."start", true, p."anchor", 1, p."start", p."start", p."end", p."end", now()
  from subscription s, period p, generate_series(1, $3::int) n`;

const MISTAKES = `
  select (select count(*) from (
      select a."id" from "identity"."account" a left join "billing"."invoice" i on i."account_id" = a."id"
      where a."organization_id" = any($1) and not a."own" group by 1 having count(i."id") <> 1
    ) wrong)::int
    + (select count(*) from unnest($1::text[]) o where (select array_agg(substr("number", 5)::int order by substr("number", 5)::int)
        from "billing"."invoice" where "organization_id" = o) is distinct from (select array_agg(n) from generate_series(1001, 1000 + $2::int) n))::int
    + abs((select count(*) from "billing"."invoice_line" where "organization_id" = any($1)) - cardinality($1::text[]) * $2::int * $3::int)::int
    as mistakes`;
