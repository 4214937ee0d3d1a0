import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createInvoice } from '../billing.setup.ts';
import { booksOf } from '../books.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { rows, rowsWith, tables } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const MINUTE_MS = 60_000;

let platform: Rig;
let billed: BilledTenant;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
});

const methodOf = (token: string): Json => ({ type: 'credit_card', card_token: token, billing_address: { zip: '10118', country: 'US' } });
const pay = (invoice: Json, more: Json = {}, caller: Tenant = billed.tenant) =>
  caller.rest('POST', '/billing/payments', {
    body: { invoice_id: invoice.id, amount: invoice.amount, payment_method: methodOf('tok_visa'), ...more },
  });
const payWith = (invoice: Json, token: string) => pay(invoice, { payment_method: methodOf(token) });
const refund = (id: string, body?: Json, caller: Tenant = billed.tenant) =>
  caller.rest('POST', `/billing/payments/${id}/refund`, body ? { body } : {});
const invoiceOf = async (id: string): Promise<Json> => (await billed.tenant.rest('GET', `/billing/invoices/${id}`)).body.data;
const paymentOf = async (id: string): Promise<Json> => (await billed.tenant.rest('GET', `/billing/payments/${id}`)).body.data;
const newInvoice = (unitPrice = 100): Promise<Json> => createInvoice(billed, { quantity: 1, unit_price: unitPrice });
const lookUp = (): Promise<void> => platform.advance(6 * MINUTE_MS);

async function audited(): Promise<void> {
  const { receivable, credit } = await booksOf(billed.tenant.organizationId);
  expect(receivable.balances).toEqual(receivable.ledger);
  expect(receivable.invoices).toEqual(receivable.ledger);
  expect(credit.balances).toEqual(credit.ledger);
}

/** The data of the events about a payment, oldest first. */
const eventsOf = async (paymentId: string): Promise<[string, Json][]> => {
  const { data } = await billed.tenant.graphql(
    'query ($events: [String!]) { events(filter: { event: $events }, page: { limit: 200 }) { nodes { event payload } } }',
    { events: ['payment.*', 'invoice.paid'] },
  );
  const found = data.events.nodes.map(({ event, payload }: Json): [string, Json] => [event, JSON.parse(payload).data]);
  return found.filter(([, one]: [string, Json]) => [one.payment?.payment_id, one.payment_id].includes(paymentId)).reverse();
};
const namesOf = async (paymentId: string): Promise<string[]> => (await eventsOf(paymentId)).map(([name]) => name);

describe('paying invoices', () => {
  test('a payment of the whole invoice pays it, and the events report each step', async () => {
    const invoice = await newInvoice(149.95);
    const { status, body } = await pay(invoice);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data).toMatchObject({
      payment_id: expect.stringMatching(/^pay_/),
      status: 'successful',
      amount: 149.95,
      currency: 'USD',
      transaction_id: expect.stringMatching(/^txn_/),
      processor: 'test',
      simulated: true,
      payment_method: { id: expect.stringMatching(/^pm_/), type: 'card', brand: 'visa', last4: '4242', reusable: true },
      decline_code: null,
      refunds: [],
    });
    expect(await invoiceOf(invoice.id)).toMatchObject({
      status: 'paid',
      amount_paid: 149.95,
      amount_due: 0,
      paid_date: body.data.processed_at,
    });
    expect(await paymentOf(body.data.payment_id)).toEqual(body.data);
    await eventually(async () => (await namesOf(body.data.payment_id)).length === 3);
    expect(await namesOf(body.data.payment_id)).toEqual(['payment.received', 'payment.successful', 'invoice.paid']);
    await audited();
  });

  test('several partial payments pay an invoice, and a payment that exceeds the due amount returns 400', async () => {
    const invoice = await newInvoice(100);
    expect((await pay(invoice, { amount: 60.5 })).status).toBe(201);
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'pending', amount_paid: 60.5, amount_due: 39.5 });
    const { status, body } = await pay(invoice, { amount: 39.51 });
    expect([status, body.error.code, body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', 'amount']);
    expect((await pay(invoice, { amount: 39.5 })).status).toBe(201);
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100 });
    await audited();
  });

  test('a paid invoice, and the same amount with the same card within a day, return 409 DUPLICATE_PAYMENT with the payment', async () => {
    const invoice = await newInvoice(100);
    const first = (await pay(invoice, { amount: 30 })).body.data.payment_id;
    expect((await pay(invoice, { amount: 30 })).body.error).toMatchObject({ code: 'DUPLICATE_PAYMENT', details: { payment_id: first } });
    expect((await pay(invoice, { amount: 30, payment_method: methodOf('tok_mastercard') })).status).toBe(201);
    const last = (await pay(invoice, { amount: 40 })).body.data.payment_id;
    const { status, body } = await pay(invoice, { amount: 1 });
    expect([status, body.error.code, body.error.details.payment_id]).toEqual([409, 'DUPLICATE_PAYMENT', last]);
    await audited();
  });

  test('a payment method that was used before can be charged by its id, but not by another account', async () => {
    const { payment_method: used } = (await pay(await newInvoice(10))).body.data;
    const by = (invoice: Json, id: string) => pay(invoice, { payment_method: undefined, payment_method_id: id });
    expect((await by(await newInvoice(20), used.id)).body.data.payment_method.id).toBe(used.id);
    expect((await pay(await newInvoice(30))).body.data.payment_method.id).toBe(used.id);
    const other = await billedTenant();
    const foreign = await createInvoice(other, { quantity: 1, unit_price: 5 });
    const { status, body } = await pay(foreign, { payment_method: undefined, payment_method_id: used.id }, other.tenant);
    expect([status, body.error.details.resource]).toEqual([404, 'payment_method']);
  });

  test.each([
    ['tok_chargeDeclined', 402, 'PAYMENT_DECLINED', { decline_code: 'declined', is_final: false }],
    ['tok_chargeDeclinedExpiredCard', 402, 'PAYMENT_DECLINED', { decline_code: 'expired', is_final: true }],
    ['tok_chargeDeclinedInsufficientFunds', 402, 'INSUFFICIENT_FUNDS', { required_amount: 50, available_amount: 10 }],
  ])('a payment with %s returns %i %s, and leaves the invoice open', async (token, expected, code, details) => {
    const invoice = await newInvoice(50);
    const { status, body } = await payWith(invoice, token);
    expect([status, body.error.code]).toEqual([expected, code]);
    expect(body.error.details).toMatchObject(details);
    const id = body.error.details.payment_id;
    expect(await paymentOf(id)).toMatchObject({ status: 'failed', decline_code: expect.any(String), transaction_id: null });
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'pending', amount_paid: 0, amount_due: 50 });
    await eventually(async () => (await namesOf(id)).length === 2);
    const [, [name, failed] = []] = await eventsOf(id);
    expect([name, failed?.failure.code]).toEqual(['payment.failed', code]);
    expect((await pay(invoice)).status).toBe(201);
    await audited();
  });

  test('invalid payments are refused with all of their problems, and store nothing', async () => {
    const invoice = await newInvoice(10);
    const before = await rowsWith('billing.payment', invoice.id);
    const { body } = await pay(invoice, { amount: -1, payment_method: { card_token: 'x'.repeat(201) } });
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual(['amount', 'payment_method.card_token']);
    for (const [more, field] of [
      [{ payment_method: undefined }, 'payment_method'],
      [{ payment_method_id: 'pm_1' }, 'payment_method'],
      [{ amount: 1.001 }, 'amount'],
      [{ amount: 0 }, 'amount'],
      [{ payment_method: methodOf('tok_unknown') }, 'payment_method.card_token'],
    ] as const) {
      const response = await pay(invoice, more);
      expect([response.status, response.body.error.details.field]).toEqual([400, field]);
    }
    expect((await pay({ id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G', amount: 1 })).status).toBe(404);
    expect(await rowsWith('billing.payment', invoice.id)).toBe(before);
  });

  test('a card number is refused, and is in no response, table or log line', async () => {
    const invoice = await newInvoice(10);
    for (const number of ['4242424242424242', '4242 4242 4242 4242']) {
      const { status, body } = await payWith(invoice, number);
      expect([status, body.error.details.field]).toEqual([400, 'payment_method.card_token']);
      expect(JSON.stringify(body)).not.toContain(number);
      for (const table of await tables()) expect([table, await rowsWith(table, number)]).toEqual([table, 0]);
      expect(platform.logged.filter((line) => line.includes(number))).toEqual([]);
    }
  });

  test('a cancelled invoice cannot be paid, and an invoice with a payment in progress cannot be cancelled', async () => {
    const cancelled = await newInvoice(10);
    await billed.tenant.rest('PUT', `/billing/invoices/${cancelled.id}`, { body: { status: 'cancelled' } });
    expect((await pay(cancelled)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'cancelled', allowed: [] } });
    const waiting = await newInvoice(10);
    await payWith(waiting, 'tok_delayed');
    const { body } = await billed.tenant.rest('PUT', `/billing/invoices/${waiting.id}`, { body: { status: 'cancelled' } });
    expect(body.error.details.reason).toBe('in_flight');
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await invoiceOf(waiting.id)).status === 'paid');
  });

  test('other organizations and callers without permission can neither pay, refund nor read payments', async () => {
    const invoice = await newInvoice(10);
    const { payment_id: id } = (await pay(await newInvoice(12))).body.data;
    const other = await platform.organization();
    expect([(await pay(invoice, {}, other)).status, (await refund(id, {}, other)).status]).toEqual([404, 404]);
    expect((await other.rest('GET', `/billing/payments/${id}`)).status).toBe(404);
    const reader = await billed.tenant.limitedTo('billing:read');
    expect([(await pay(invoice, {}, reader)).status, (await refund(id, {}, reader)).status]).toEqual([403, 403]);
    expect((await (await billed.tenant.limitedTo('services:read')).rest('GET', '/billing/payments')).status).toBe(403);
    expect((await reader.rest('GET', `/billing/payments?invoice_id=${(await paymentOf(id)).invoice_id}`)).body).toMatchObject({
      data: [{ payment_id: id }],
      pagination: { total: 1 },
    });
  });

  test('of 50 concurrent attempts to pay an invoice, one charges it, and the others return 409', async () => {
    const invoice = await newInvoice(77);
    const attempts = await Promise.all(Array.from({ length: 50 }, () => pay(invoice)));
    const counts = Map.groupBy(attempts, ({ status }) => status);
    expect([...counts].map(([status, all]) => [status, all.length]).sort()).toEqual([
      [201, 1],
      [409, 49],
    ]);
    const [charged] = await (await rows()).query<{ count: number }>(
      `select count(*)::int as "count" from "billing"."test_processor_charge" c join "billing"."payment" p on p."id" = c."id" where p."invoice_id" = $1`,
      [invoice.id],
    );
    expect(charged?.count).toBe(1);
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 77 });
    await audited();
  });
});

describe('payments whose outcome is unknown', () => {
  test.each([
    ['tok_timeout_succeeds', 'successful', 'paid'],
    ['tok_timeout_fails', 'failed', 'pending'],
    ['tok_timeout_lost', 'failed', 'pending'],
  ])(
    'a payment with %s is pending and reserves its amount, and is %s after the platform has asked for its outcome',
    async (token, expected, of) => {
      const invoice = await newInvoice(40);
      const { status, body } = await payWith(invoice, token);
      expect([status, body.data.status, body.data.processed_at]).toEqual([201, 'pending', null]);
      const id = body.data.payment_id;
      expect((await pay(invoice)).body.error).toMatchObject({ code: 'DUPLICATE_PAYMENT', details: { payment_id: id } });
      await audited();
      await lookUp();
      await eventually(async () => (await paymentOf(id)).status === expected);
      expect((await invoiceOf(invoice.id)).status).toBe(of);
      await eventually(async () => (await namesOf(id)).length >= 2);
      const outcomes = (await namesOf(id)).filter((name) => name !== 'payment.received' && name !== 'invoice.paid');
      expect(outcomes).toEqual([`payment.${expected}`]);
      await audited();
    },
  );

  test('a payment stays pending until the processor completes it later', async () => {
    const invoice = await newInvoice(15);
    const { payment_id: id, status } = (await payWith(invoice, 'tok_delayed')).body.data;
    expect(status).toBe('pending');
    await platform.advance(31_000);
    await eventually(async () => (await paymentOf(id)).status === 'successful');
    expect((await invoiceOf(invoice.id)).status).toBe('paid');
  });

  test('money that arrives after its payment was recorded as failed pays the due amount, and the rest becomes credit that pays other invoices', async () => {
    const { settlePayment } = await import('../../subgraphs/billing/payments/settlement.ts');
    const invoice = await newInvoice(100);
    const { details } = (await payWith(invoice, 'tok_chargeDeclined')).body.error;
    await pay(invoice, { amount: 70 });
    const { organizationEm } = await import('../../kernel/records/organization-filter.ts');
    const orm = await billingOrm();
    const late = (): Promise<unknown> =>
      organizationEm(orm, billed.tenant.organizationId).transactional((tx) =>
        settlePayment(tx, details.payment_id, { state: 'succeeded', reference: 'late' }, clock.now()),
      );
    const applied = async (): Promise<number> => {
      const sums = 'select sum(credit_applied)::float as sum from billing.invoice where organization_id = $1';
      return (await (await rows()).query<{ sum: number }>(sums, [billed.tenant.organizationId]))[0]?.sum ?? 0;
    };
    const before = await applied();
    await late();
    await late();
    expect(await paymentOf(details.payment_id)).toMatchObject({ status: 'successful', decline_code: null, amount_refundable: 30 });
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100 });
    const { credit } = await booksOf(billed.tenant.organizationId);
    expect((await applied()) - before + Number(credit.ledger[`${billed.accountId} USD`] ?? 0)).toBe(70);
    await audited();
  });
});

describe('refunding payments', () => {
  test('partial refunds together never exceed the payment, and the invoice stays paid', async () => {
    const invoice = await newInvoice(100);
    const { payment_id: id } = (await pay(invoice)).body.data;
    const { status, body } = await refund(id, { amount: 33.33, reason: 'Late' });
    expect([status, body.data]).toMatchObject([201, { payment_id: id, amount: 33.33, status: 'successful', reason: 'Late' }]);
    expect((await refund(id, { amount: 66.68 })).body.error.details).toMatchObject({ field: 'amount' });
    expect((await refund(id)).body.data.amount).toBe(66.67);
    expect((await refund(id)).status).toBe(400);
    expect(await paymentOf(id)).toMatchObject({ status: 'successful', amount_refunded: 100, amount_refundable: 0, refunds: [{}, {}] });
    expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100, amount_refunded: 100 });
    await eventually(async () => (await namesOf(id)).filter((name) => name === 'payment.refunded').length === 2);
    await audited();
  });

  test('a refund that the processor declines returns 402, and can be retried', async () => {
    const { payment_id: id } = (await payWith(await newInvoice(10), 'tok_refund_fails')).body.data;
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await refund(id)).body.error).toMatchObject({ code: 'PAYMENT_DECLINED', details: { payment_id: id } });
    expect(await paymentOf(id)).toMatchObject({
      amount_refunded: 0,
      amount_refundable: 10,
      refunds: [{ status: 'failed' }, { status: 'failed' }],
    });
    await audited();
  });

  test('a payment that is not successful cannot be refunded', async () => {
    const { details } = (await payWith(await newInvoice(10), 'tok_chargeDeclined')).body.error;
    expect((await refund(details.payment_id)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'failed' } });
  });

  test('of 20 concurrent refunds of a quarter of a payment, four succeed', async () => {
    const { payment_id: id } = (await pay(await newInvoice(100))).body.data;
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => refund(id, { amount: 25 })))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    expect(await paymentOf(id)).toMatchObject({ amount_refunded: 100, amount_refundable: 0 });
    await audited();
  });
});

async function billingOrm() {
  const { databases } = platform.assembly;
  const { billing } = await import('../../subgraphs/billing/subgraph.ts');
  return (await databases.storeOf({ schema: 'billing', entities: billing.entities, migrations: billing.migrations })).orm;
}
