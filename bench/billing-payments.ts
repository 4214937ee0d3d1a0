import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type autocannon from 'autocannon';
import pg from 'pg';
import type { PaymentsTarget } from './billing-payments.server.ts';
import { load } from './load.ts';
import { onScratch } from './scratch-database.ts';

export interface PaymentsRow {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Rate of the platform, divided by the rate of the hand-written handler. */
  ratio: number;
}

const ROUNDS = 5;
const WARM_UP = 500;
const PAYMENTS = 1_500;
const CONNECTIONS = 16;
const ACCOUNTS = 200;
const AMOUNT = 119;

/** Measurement (s): payments of whole invoices with a stored payment method, by the platform and by a hand-written handler in turns. */
export const measurePayments = (): Promise<PaymentsRow[]> =>
  onScratch('bench_payments', async (env) => {
    const file = fileURLToPath(new URL('./billing-payments.server.js', import.meta.url));
    const child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [target] = (await once(child, 'message')) as [PaymentsTarget];
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    try {
      await client.query(SEED, [target.organizationId, ACCOUNTS, 2 * (WARM_UP + ROUNDS * PAYMENTS), AMOUNT]);
      await client.query(COUNTER, [target.organizationId]);
      await client.query('vacuum analyze');
      const { rows } = await client.query<{ id: string; method: string }>(
        `select i."id", m."id" as "method" from "billing"."invoice" i join "billing"."payment_method" m on m."account_id" = i."account_id"`,
      );
      const left = rows.values();
      const pay = (origin: string, path: string, amount: number): Promise<PaidRound> => paid(target, left, origin + path, amount);
      const contenders = [
        { name: 'hand-written Fastify handler', run: (amount: number) => pay(target.handOrigin, '/payments', amount) },
        { name: 'POST /v1/billing/payments', run: (amount: number) => pay(target.origin, '/v1/billing/payments', amount) },
      ];
      const results = contenders.map((): PaidRound[] => []);
      for (const { run } of contenders) await run(WARM_UP);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [index, { run }] of contenders.entries()) results[index]?.push(await run(PAYMENTS));
      await check(client);
      const rates = results.map((all) => median(all.map(({ perSecond }) => perSecond)));
      return contenders.map(({ name }, index) => ({
        name,
        perSecond: Math.round(rates[index] ?? 0),
        p50Ms: median((results[index] ?? []).map(({ result }) => result.latency.p50)),
        p99Ms: median((results[index] ?? []).map(({ result }) => result.latency.p99)),
        ratio: Number(((rates[index] ?? 0) / (rates[0] ?? 1)).toFixed(2)),
      }));
    } finally {
      await client.end();
      child.disconnect();
      await once(child, 'exit');
    }
  });

type PaidRound = Awaited<ReturnType<typeof load>>;

async function paid(
  { apiKey }: PaymentsTarget,
  invoices: Iterator<{ id: string; method: string }>,
  url: string,
  amount: number,
): Promise<PaidRound> {
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { value } = invoices.next();
    return {
      ...request,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ invoice_id: value?.id, amount: AMOUNT, payment_method_id: value?.method }),
    };
  };
  const round = await load({ url, connections: CONNECTIONS, amount, requests: [{ setupRequest }] });
  const { non2xx, errors } = round.result;
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} failures.`);
  return round;
}

/** Checks that the platform and the hand-written handler have written the same rows. */
async function check(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ paid: number; payments: number; charges: number; posted: number; receivable: string }>(
    `select (select count(*)::int from "billing"."invoice" where "status" = 'paid') as "paid",
       (select count(*)::int from "billing"."payment" where "status" = 'successful') as "payments",
       (select count(*)::int from "billing"."test_processor_charge") as "charges",
       (select count(*)::int from "billing"."ledger_transfer" where "kind" = 'payment') as "posted",
       (select sum("receivable") from "billing"."account_balance") as "receivable"`,
  );
  const [{ paid: invoices, payments, charges, posted, receivable } = {}] = rows as [Partial<(typeof rows)[number]>];
  const all = 2 * (WARM_UP + ROUNDS * PAYMENTS);
  const isRight = [invoices, payments, charges, posted].every((count) => count === all) && Number(receivable) === 0;
  if (!isRight) throw new Error(`The payments are wrong: ${JSON.stringify(rows)}.`);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** SQL that creates accounts with a payment method, and `$3` invoices of the amount `$4`. Triggers post and count the invoices. */
const SEED = `
  with account as (
    insert into "identity"."account" ("id", "customer_id", "organization_id", "name", "email", "timezone", "metadata", "created_at", "updated_at")
    select 'acc_' || md5($1::text || n), 'cust_' || md5($1::text || n), $1::text, 'Customer ' || n, 'it@customer.example.com', 'UTC', '{}', now(), now()
    from generate_series(1, $2::int) n returning "id"
  ), method as (
    insert into "billing"."payment_method" ("id", "organization_id", "account_id", "processor", "reference", "type", "brand", "last4", "reusable",
      "fingerprint", "created_at")
    select 'pm_' || substr("id", 5), $1::text, "id", 'test', 'tok_visa', 'card', 'visa', '4242', true, 'test_tok_visa', now() from account
  ), invoice as (
    insert into "billing"."invoice" ("id", "organization_id", "number", "account_id", "amount", "tax_amount", "currency", "due_date", "created_at",
      "updated_at", "timezone", "bill_to", "seller")
    select 'inv_' || md5($1::text || n), $1::text, 'INV-' || 1000 + n, 'acc_' || md5($1::text || (1 + n % $2::int)), $4::numeric, 19, 'EUR',
      now() + interval '30 days', now(), now(), 'UTC', '{"name": "Customer", "address": ["Hafenstraße 12", "20457 Hamburg", "DE"], "taxId": null}',
      '{"name": "Example Telecom", "address": [], "taxId": null, "footer": null}'
    from generate_series(1, $3::int) n returning "id", "account_id"
  ), tax as (
    insert into "billing"."invoice_tax" ("invoice_id", "position", "organization_id", "name", "percent", "taxable", "amount")
    select "id", 0, $1::text, 'VAT', 19, $4::numeric - 19, 19 from invoice
  )
  insert into "billing"."invoice_line" ("invoice_id", "position", "organization_id", "service_id", "description", "quantity", "unit_price", "amount", "category")
  select "id", 0, $1::text, 'svc_' || substr("account_id", 5), 'Business fiber 1 Gbit/s', 1, $4::numeric - 19, $4::numeric - 19, 'connectivity' from invoice`;

const COUNTER = `
  insert into "billing"."invoice_counter" select $1::text, 1000 + count(*) from "billing"."invoice" on conflict ("organization_id") do update set "last" = excluded."last"`;
