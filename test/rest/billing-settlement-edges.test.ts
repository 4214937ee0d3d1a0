import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import { creditNote, moveTo, newInvoice, run, taxRate, WRITE_OFF } from '../billing-credits.setup.ts';
import { booksOf } from '../books.setup.ts';
import { type Till, tillOf } from '../payments.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '../support/stripe.server.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

let stripe: StripeServer;
let platform: Rig;
let billed: BilledTenant;
let till: Till;
beforeAll(async () => {
  stripe = await StripeServer.start();
  platform = await start({ STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_URL: stripe.url, DATABASE_POOL_SIZE: '6' });
});
afterAll(async () => {
  stripe?.close();
  await platform?.close();
});
const fresh = async (): Promise<void> => {
  billed = await onRig(platform, billedTenant);
  till = tillOf(billed);
  const { status } = await billed.tenant.rest('PUT', `/billing/invoices/${billed.firstInvoice.id}`, { body: { status: 'cancelled' } });
  expect(status).toBe(200);
};
const audited = (): Promise<void> => onRig(platform, () => till.audited());
const notify = (type: string, object: Json): Promise<number> => stripe.notify(platform.origin, type, structuredClone(object));
const paid = async (invoice: Json, amount = invoice.amount, token = 'tok_visa'): Promise<string> => {
  const { status, body } = await till.pay(invoice, token, { amount });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.payment_id;
};
const creditOf = async (): Promise<string> =>
  (await onRig(platform, () => booksOf(billed.tenant.organizationId))).credit.ledger[`${billed.accountId} USD`] ?? '0';

test('the audit of a taxed invoice that was written off finds no difference', async () => {
  await fresh();
  await moveTo(billed, 'US', 'NY');
  await taxRate(billed.tenant);
  const invoice = await newInvoice(billed, 100);
  await paid(invoice, 20);
  await creditNote(billed.tenant, invoice.id, [{ position: 0, net: 10 }]);
  await run(billed.tenant, WRITE_OFF, { id: invoice.id, input: { reason: 'Insolvent' } });
  await audited();
});

test.each(['lost', 'won'])(
  'the ledger agrees with the records after a dispute of a payment of a written-off invoice was %s',
  async (end) => {
    await fresh();
    const invoice = await newInvoice(billed, 100);
    const id = await paid(invoice, 40);
    await run(billed.tenant, WRITE_OFF, { id: invoice.id, input: { reason: 'Insolvent' } });
    expect(await notify('charge.dispute.created', stripe.dispute(id, 'needs_response'))).toBe(204);
    await audited();
    await notify('charge.dispute.closed', stripe.dispute(id, end));
    await audited();
    const { data } = await billed.tenant.graphql('query($id:ID!){invoice(id:$id){status amountPaid amountWrittenOff amountDue}}', {
      id: invoice.id,
    });
    expect(data.invoice).toMatchObject(end === 'won' ? { amountPaid: 40, amountWrittenOff: 60 } : { amountPaid: 0, amountWrittenOff: 100 });
    expect(await creditOf()).toBe('0');
  },
);

test('a refund in the dashboard of Stripe takes back the credit from the won dispute of its payment', async () => {
  await fresh();
  const invoice = await till.newInvoice(70);
  const id = await paid(invoice);
  await notify('charge.dispute.created', stripe.dispute(id, 'needs_response'));
  await paid(invoice, 70, 'tok_mastercard');
  await notify('charge.dispute.closed', stripe.dispute(id, 'won'));
  expect(await creditOf()).toBe('70');
  await notify('refund.created', stripe.refundInDashboard(id, 7000));
  await audited();
  expect(await creditOf()).toBe('0');
});

test('a refund that was recorded as failed and succeeds later is recorded as successful', async () => {
  await fresh();
  const invoice = await till.newInvoice(60);
  const id = await paid(invoice);
  stripe.fail('POST /v1/refunds', 'drop');
  const refunding = till.refund(id, { amount: 25 }).catch(() => undefined);
  const [own] = await eventually(async () => {
    const found = await onRig(platform, async () =>
      (await rows()).query<Json>('select id from billing.refund where payment_id = $1', [id]),
    );
    return found.length > 0 && found;
  });
  const { id: intent } = stripe.intentOf(id);
  const failed = {
    id: 're_late',
    payment_intent: intent,
    amount: 2500,
    currency: 'usd',
    status: 'failed',
    failure_reason: 'x',
    metadata: { refund_id: own?.id, organization_id: billed.tenant.organizationId },
  };
  await notify('refund.failed', failed);
  expect((await till.payment(id)).refunds).toMatchObject([{ status: 'failed' }]);
  await notify('refund.updated', { ...failed, status: 'succeeded' });
  expect(await till.payment(id)).toMatchObject({ amount_refunded: 25, refunds: [{ status: 'successful' }] });
  await audited();
  void refunding;
});

test('a refund of a payment of another processor is refused and reserves nothing', async () => {
  await fresh();
  const invoice = await till.newInvoice(60);
  const id = await paid(invoice);
  await onRig(platform, async () => (await rows()).query(`update billing.payment set processor = 'test' where id = $1`, [id]));
  const { status, body } = await till.refund(id);
  await onRig(platform, async () => (await rows()).query(`update billing.payment set processor = 'stripe' where id = $1`, [id]));
  expect([status, body.error?.code, (await till.payment(id)).amount_refundable]).toEqual([409, 'INVALID_STATE', 60]);
});
