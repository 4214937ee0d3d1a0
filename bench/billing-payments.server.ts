import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import pg from 'pg';
import { newId } from '../kernel/records/ids.ts';
import { handWritten, platformOn } from './platform.ts';

/** The addresses, the API key and the organization that the load generator uses in its requests. */
export interface PaymentsTarget {
  origin: string;
  handOrigin: string;
  apiKey: string;
  organizationId: string;
}

/** Runs two servers in this process for bench/billing-payments.ts: the platform, and a hand-written handler of payments. */
const { platform, assembly, domains } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());
const { organization, apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });
/** Default number of connections that the platform has for each domain, and for the stored responses of Idempotency-Keys. */
const POOL_SIZE = 5;
const poolOf = (): pg.Pool => new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: POOL_SIZE });
const [pool, keys] = [poolOf(), poolOf()];

const hand = handWritten(assembly);

interface PaymentBody {
  invoice_id: string;
  amount: number;
  payment_method_id: string;
}

type Row = Record<string, unknown>;

/** Runs a transaction with prepared statements. */
async function transaction<T>(act: (sql: (name: string, text: string, values: unknown[]) => Promise<Row[]>) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await act(async (name, text, values) => (await client.query<Row>({ name, text, values })).rows);
    await client.query('commit');
    return result;
  } finally {
    client.release();
  }
}

const OUTBOX = `insert into "billing"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "payload") values`;
const CLAIM = `insert into "bridge"."idempotency_key" ("organization_id", "caller_id", "key", "fingerprint", "lease", "leased_until")
  values ($1, $2, $3, $4, $5, now() + interval '60 seconds') on conflict do nothing returning "lease"`;
const COMPLETE = `update "bridge"."idempotency_key" set "status" = 201, "headers" = '{}', "body" = $5
  where "organization_id" = $1 and "caller_id" = $2 and "key" = $3 and "lease" = $4`;

const CHARGE = `insert into "billing"."test_processor_charge" ("organization_id", "id", "account_id", "method", "amount", "currency", "settles_at",
    "created_at") values ($1, $2, $3, $4, $5, $6, $7, $7)`;

/** Input with which the hand-written handler makes a payment. */
interface Paying {
  organizationId: string;
  id: string;
  invoiceId: string;
  methodId: string;
  amount: number;
  now: Date;
}

const eventOf = ({ organizationId, id, now }: Paying, name: string, data: object): unknown[] => {
  const eventId = newId('event');
  const payload = JSON.stringify({ id: eventId, event: name, timestamp: now, organization_id: organizationId, data });
  return [eventId, organizationId, name, name.startsWith('invoice') ? 'Invoice' : 'Payment', id, null, now, payload];
};

/** Reserves the amount on the invoice, and stores the pending payment with its event. Returns the payment method. */
const reserved = (paying: Paying): Promise<Row> =>
  transaction(async (sql) => {
    const { organizationId, id, invoiceId, methodId, amount, now } = paying;
    const [invoice] = await sql(
      'bench.invoice',
      `select "account_id", "currency", "amount", "amount_paid", "amount_reserved" from "billing"."invoice"
       where "organization_id" = $1 and "id" = $2 and "status" in ('pending', 'overdue') for update`,
      [organizationId, invoiceId],
    );
    const ofMethod = 'select * from "billing"."payment_method" where "organization_id" = $1 and "id" = $2';
    const [method] = await sql('bench.method', ofMethod, [organizationId, methodId]);
    await sql(
      'bench.reserve',
      'update "billing"."invoice" set "amount_reserved" = "amount_reserved" + $2, "revision" = "revision" + 1 where "id" = $1',
      [invoiceId, amount],
    );
    await sql(
      'bench.payment',
      `insert into "billing"."payment" ("id", "organization_id", "account_id", "invoice_id", "payment_method_id", "amount", "currency", "processor",
         "simulated", "settle_due_at", "created_at", "updated_at")
       values ($1, $2, $3, $4, $5, $6, $7, 'test', true, $8::timestamptz + interval '5 minutes', $8, $8)`,
      [id, organizationId, invoice?.account_id, invoiceId, methodId, amount, invoice?.currency, now],
    );
    const payment = { payment_id: id, invoice_id: invoiceId, amount, status: 'pending', currency: invoice?.currency };
    await sql('bench.received', `${OUTBOX} ($1, $2, $3, $4, $5, $6, $7, $8)`, eventOf(paying, 'payment.received', { payment }));
    return { ...method, currency: invoice?.currency };
  });

/** Stores the success of a charge: the payment, the paid invoice, the ledger transfer and two events. Returns the payment. */
const settled = (paying: Paying, method: Row): Promise<Row | undefined> =>
  transaction(async (sql) => {
    const { organizationId, id, invoiceId, amount, now } = paying;
    const [invoice] = await sql('bench.locked', 'select * from "billing"."invoice" where "id" = $1 for update', [invoiceId]);
    await sql('bench.pending', 'select * from "billing"."payment" where "id" = $1 for update', [id]);
    const lines = await sql('bench.lines', 'select * from "billing"."invoice_line" where "invoice_id" = $1 order by "position"', [
      invoiceId,
    ]);
    const taxes = await sql('bench.taxes', 'select * from "billing"."invoice_tax" where "invoice_id" = $1 order by "position"', [
      invoiceId,
    ]);
    const [payment] = await sql(
      'bench.paid',
      `update "billing"."payment" set "status" = 'successful', "amount_applied" = "amount", "reference" = $2, "transaction_id" = $3,
         "processed_at" = $4, "settle_due_at" = null, "updated_at" = $4 where "id" = $1 returning *`,
      [id, `test_${id}`, newId('transaction'), now],
    );
    await sql(
      'bench.closed',
      `update "billing"."invoice" set "status" = 'paid', "paid_date" = $3, "amount_reserved" = "amount_reserved" - $2,
         "amount_paid" = "amount_paid" + $2, "revision" = "revision" + 1, "updated_at" = $3 where "id" = $1`,
      [invoiceId, amount, now],
    );
    await sql(
      'bench.post',
      `select "billing"."post"($1, $2, 'payment', $3, $4, $5, 'cash:test', 'receivable', $6::numeric, $7::timestamptz)`,
      [organizationId, id, method.account_id, invoiceId, method.currency, amount, now],
    );
    await sql('bench.events', `${OUTBOX} ($1, $2, $3, $4, $5, $6, $7, $8), ($9, $10, $11, $12, $13, $14, $15, $16)`, [
      ...eventOf(paying, 'payment.successful', { payment }),
      ...eventOf(paying, 'invoice.paid', { invoice: { ...invoice, services: lines, taxes }, payment_id: id }),
    ]);
    return payment;
  });

/**
 * Pays a whole invoice. It writes the same rows as the platform, with the same commits: the Idempotency-Key, the pending payment, the
 * charge of the test processor, the outcome, and the response. One statement per transaction writes each table. The handler does not
 * validate the input, and supports no other outcome.
 */
hand.post<{ Body: PaymentBody; Headers: { 'idempotency-key': string } }>('/payments', async (request, reply) => {
  const { organizationId, id: caller } = request.caller.principal;
  const { invoice_id: invoiceId, amount, payment_method_id: methodId } = request.body;
  const key = request.headers['idempotency-key'];
  const lease = newId('event');
  await keys.query({ name: 'bench.claim', text: CLAIM, values: [organizationId, caller, key, invoiceId, lease] });
  const paying = { organizationId, id: newId('payment'), invoiceId, methodId, amount, now: new Date() };
  const method = await reserved(paying);
  await pool.query({
    name: 'bench.charge',
    text: CHARGE,
    values: [organizationId, paying.id, method.account_id, method.reference, amount, method.currency, paying.now],
  });
  const payment = await settled(paying, method);
  const shown = { brand: method.brand, last4: method.last4, type: method.type };
  const body = JSON.stringify({ success: true, data: { ...payment, payment_method: shown, refunds: [], disputes: [] } });
  await keys.query({ name: 'bench.complete', text: COMPLETE, values: [organizationId, caller, key, lease, body] });
  return reply.code(201).type('application/json').send(body);
});

const handOrigin = await hand.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ origin: platform.origin, handOrigin, apiKey, organizationId: organization.id } satisfies PaymentsTarget);
process.once('disconnect', () => process.exit(0));
