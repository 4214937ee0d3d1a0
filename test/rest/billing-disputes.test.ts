import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, payOpenInvoices } from '../billing.setup.ts';
import { booksOf } from '../books.setup.ts';
import { type Till, tillOf } from '../payments.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * Time between two steps of a dispute. The test processor opens a dispute after 30 seconds, and the bank decides after another 30 seconds.
 */
const STEP_MS = 31_000;

let platform: Rig;
let billed: BilledTenant;
let till: Till;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
  till = tillOf(billed);
});

const statusOf = async (paymentId: string): Promise<string | undefined> => (await till.payment(paymentId)).disputes[0]?.status;

/** Advances the clock until the next step of the dispute. */
async function until(paymentId: string, status: string): Promise<Json> {
  await platform.advance(STEP_MS);
  await eventually(async () => (await statusOf(paymentId)) === status);
  return till.payment(paymentId);
}

async function disputed(token: string, amount = 100, more: object = {}): Promise<{ invoice: Json; id: string }> {
  const invoice = await till.newInvoice(amount, more);
  const { status, body } = await till.pay(invoice, token);
  expect(status, JSON.stringify(body)).toBe(201);
  const id = body.data.payment_id as string;
  expect((await until(id, 'open')).status).toBe('successful');
  return { invoice, id };
}

describe('disputes', () => {
  test('a dispute reopens the invoice, and the payment cannot be refunded while the dispute is open', async () => {
    const { invoice, id } = await disputed('tok_createDispute');
    expect(await till.payment(id)).toMatchObject({
      amount_disputed: 100,
      amount_refundable: 0,
      disputes: [
        {
          dispute_id: expect.stringMatching(/^dp_/),
          status: 'open',
          amount: 100,
          amount_reopened: 100,
          reason: 'fraudulent',
          closed_at: null,
        },
      ],
    });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'pending', amount_paid: 0, amount_due: 100, paid_date: null });
    const { status, body } = await till.refund(id);
    expect([status, body.error.code, body.error.details.reason]).toEqual([409, 'INVALID_STATE', 'disputed']);
    await till.audited();
    expect(await until(id, 'lost')).toMatchObject({ amount_disputed: 0, amount_refundable: 0 });
    expect((await till.refund(id)).status).toBe(400);
    await till.audited();
    const names = async (): Promise<string[]> => (await till.events(invoice.id)).map(([name]) => name);
    await eventually(async () => (await names()).includes('payment.dispute_closed'));
    expect(await names()).toEqual([
      ...['invoice.created', 'payment.received', 'payment.successful', 'invoice.paid'],
      ...['payment.disputed', 'invoice.updated', 'payment.dispute_closed'],
    ]);
    const [, reopened] = (await till.events(invoice.id)).find(([name]) => name === 'invoice.updated') ?? [];
    expect(reopened?.changes).toEqual({ status: { from: 'paid', to: 'pending' } });
  });

  test('an invoice whose payment was lost in a dispute can be paid again with the same card', async () => {
    const { invoice, id } = await disputed('tok_createDispute');
    await until(id, 'lost');
    const { status, body } = await till.pay(invoice, 'tok_visa');
    expect(status, JSON.stringify(body)).toBe(201);
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100 });
    await till.audited();
  });

  test('a dispute that is won pays the invoice again', async () => {
    const { invoice, id } = await disputed('tok_dispute_won');
    expect(await until(id, 'won')).toMatchObject({ amount_disputed: 0, amount_refundable: 100 });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100, amount_due: 0 });
    expect((await till.refund(id)).status).toBe(201);
    await till.audited();
  });

  test('the refunded part of a disputed payment is not due again', async () => {
    const invoice = await till.newInvoice(100);
    const { payment_id: id } = (await till.pay(invoice, 'tok_createDispute')).body.data;
    expect((await till.refund(id, { amount: 30 })).status).toBe(201);
    await until(id, 'open');
    expect(await till.payment(id)).toMatchObject({ amount_refunded: 30, disputes: [{ amount: 100, amount_reopened: 70 }] });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'pending', amount_due: 70 });
    await till.audited();
    await until(id, 'lost');
    await till.audited();
  });

  test('a reopened invoice is overdue immediately if its due date has passed', async () => {
    const invoice = await till.newInvoice(20, { due_date: platform.clock.now().toISOString() });
    const { payment_id: id } = (await till.pay(invoice, 'tok_dispute_won')).body.data;
    await platform.advance(2 * DAY_MS);
    await eventually(async () => (await statusOf(id)) !== undefined);
    await eventually(async () => (await till.invoice(invoice.id)).status === 'overdue');
    const names = async (): Promise<string[]> => (await till.events(invoice.id)).map(([name]) => name);
    await eventually(async () => (await names()).includes('invoice.overdue'));
    await until(id, 'won');
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid' });
    await till.audited();
  });

  test('GraphQL lists the disputes of payments, and other organizations cannot see them', async () => {
    const { id } = await disputed('tok_createDispute', 12);
    const query = 'query ($id: ID!) { payment(id: $id) { amountDisputed disputes { id status amount reason } } }';
    const { data } = await billed.tenant.graphql(query, { id });
    expect(data.payment).toMatchObject({ amountDisputed: 12, disputes: [{ status: 'OPEN', amount: 12 }] });
    const other = await platform.organization();
    expect((await other.graphql(query, { id })).data.payment).toBeNull();
  });
});

// last, because credit pays later invoices
test('the money of a won dispute becomes credit of the account if the invoice was paid during the dispute', async () => {
  await payOpenInvoices(billed);
  const before = (await booksOf(billed.tenant.organizationId)).credit.ledger[`${billed.accountId} USD`] ?? '0';
  const { invoice, id } = await disputed('tok_dispute_won', 40);
  expect((await till.pay(invoice, 'tok_mastercard')).status).toBe(201);
  await until(id, 'won');
  expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 40 });
  const { credit } = await booksOf(billed.tenant.organizationId);
  expect(Number(credit.ledger[`${billed.accountId} USD`]) - Number(before)).toBe(40);
  await till.audited();
});
