import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, payOpenInvoices } from '../billing.setup.ts';
import { booksOf } from '../books.setup.ts';
import { operator } from '../operator.setup.ts';
import { type Till, tillOf } from '../payments.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '../support/stripe.server.ts';
import type { Json } from '../tenant.ts';

let stripe: StripeServer;
let platform: Rig;
let billed: BilledTenant;
let till: Till;
beforeAll(async () => {
  stripe = await StripeServer.start();
  const keys = { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_URL: stripe.url };
  platform = await start({ ...keys, DATABASE_POOL_SIZE: '3' });
  billed = await onRig(platform, billedTenant);
  till = tillOf(billed);
});
afterAll(async () => {
  // closes first the connection of a charge that hangs
  stripe?.close();
  await platform?.close();
});

const audited = (): Promise<void> => onRig(platform, () => till.audited());
const notify = (type: string, object: Json, options?: { secret?: string; age?: number }): Promise<number> =>
  stripe.notify(platform.origin, type, structuredClone(object), options);
const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, act));

async function paid(amount = 100, token = 'tok_visa'): Promise<{ invoice: Json; id: string }> {
  const invoice = await till.newInvoice(amount);
  const { status, body } = await till.pay(invoice, token);
  expect(status, JSON.stringify(body)).toBe(201);
  return { invoice, id: body.data.payment_id };
}

const namesAbout = async (id: string): Promise<string[]> => (await till.events(id)).map(([name]) => name);

describe('notifications of Stripe about payments', () => {
  test('a notification records the outcome of a bank debit once, even if the notification is repeated 20 times', async () => {
    const { invoice, id } = await paid(100, 'tok_slow');
    expect((await till.payment(id)).status).toBe('pending');
    stripe.settle(id, 'succeeded');
    const statuses = await times(20, () => notify('payment_intent.succeeded', stripe.intentOf(id)));
    expect([...new Set(statuses)]).toEqual([204]);
    expect(await till.payment(id)).toMatchObject({ status: 'successful' });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 100 });
    await eventually(async () => (await namesAbout(id)).includes('invoice.paid'));
    expect((await namesAbout(id)).filter((name) => name === 'payment.successful')).toHaveLength(1);
    await audited();
  });

  test('a notification that arrives before the response to the charge records the outcome of the payment once', async () => {
    const invoice = await till.newInvoice(30);
    stripe.fail('POST /v1/payment_intents', 'hang');
    const paying = till.pay(invoice).catch(() => undefined);
    const intent = await eventually(() => stripe.intents.find(({ amount, status }) => amount === 3000 && status === 'succeeded'));
    expect(await notify('payment_intent.succeeded', intent)).toBe(204);
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 30 });
    void paying;
    await audited();
  });

  test('a refund and a dispute that are reported before the payment are refused with 503, and recorded when they are sent again', async () => {
    const invoice = await till.newInvoice(40);
    stripe.fail('POST /v1/payment_intents', 'hang');
    const paying = till.pay(invoice).catch(() => undefined);
    const intent = await eventually(() => stripe.intents.find(({ amount, status }) => amount === 4000 && status === 'succeeded'));
    const id: string = intent.metadata.payment_id;
    const [refund, dispute] = [stripe.refundInDashboard(id, 1500), stripe.dispute(id, 'needs_response')];
    expect([await notify('refund.created', refund), await notify('charge.dispute.created', dispute)]).toEqual([503, 503]);
    expect(await notify('payment_intent.succeeded', intent)).toBe(204);
    expect(await notify('refund.created', refund)).toBe(204);
    expect(await till.payment(id)).toMatchObject({ status: 'successful', amount_refunded: 15, refunds: [{ amount: 15 }] });
    void paying;
    await audited();
  });

  test('older notifications that arrive late do not change a payment whose outcome is recorded', async () => {
    const { id } = await paid(11, 'tok_slow');
    const processing = structuredClone(stripe.intentOf(id));
    stripe.settle(id, 'succeeded');
    await notify('payment_intent.succeeded', stripe.intentOf(id));
    await notify('payment_intent.processing', processing);
    const failed = { ...processing, status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } };
    await notify('payment_intent.payment_failed', failed);
    expect(await till.payment(id)).toMatchObject({ status: 'successful', decline_code: null });
    await audited();
  });

  test('the payment of a bank debit that fails gets the status failed, and the invoice can be paid again', async () => {
    const { invoice, id } = await paid(12, 'tok_slow');
    stripe.settle(id, 'requires_payment_method');
    await notify('payment_intent.payment_failed', stripe.intentOf(id));
    expect((await till.payment(id)).status).toBe('failed');
    expect((await till.pay(invoice)).status).toBe(201);
    await audited();
  });

  test('a forged, old or unsigned notification returns 401 and changes nothing', async () => {
    const { id } = await paid(13, 'tok_slow');
    const succeeded = { ...stripe.intentOf(id), status: 'succeeded' };
    expect(await notify('payment_intent.succeeded', succeeded, { secret: 'whsec_forged' })).toBe(401);
    expect(await notify('payment_intent.succeeded', succeeded, { age: 400 })).toBe(401);
    const path = `${platform.origin}/v1/billing/processors/stripe/notifications`;
    for (const init of [{}, { body: '{}' }, { body: JSON.stringify(succeeded), headers: { 'stripe-signature': 't=1,v1=00' } }]) {
      const response = await fetch(path, { method: 'POST', ...init });
      expect([response.status, ((await response.json()) as Json).error.code]).toEqual([401, 'INVALID_SIGNATURE']);
    }
    expect((await fetch(path, { method: 'POST', body: 'x'.repeat(300 * 1024) })).status).toBe(413);
    expect((await till.payment(id)).status).toBe('pending');
  });

  test('a notification about a payment of another system is accepted, ignored and logged', async () => {
    const intent = { id: 'pi_other', status: 'succeeded', amount: 500, currency: 'usd', metadata: {} };
    expect(await notify('payment_intent.succeeded', intent)).toBe(204);
    const strange = { ...intent, metadata: { payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G', organization_id: 'org_other' } };
    expect(await notify('payment_intent.succeeded', strange)).toBe(204);
    const dispute = { id: 'du_other', payment_intent: 'pi_other', amount: 500, currency: 'usd', reason: 'general', status: 'lost' };
    expect(await notify('charge.dispute.created', dispute)).toBe(204);
    expect(await notify('customer.created', { id: 'cus_9' })).toBe(204);
    expect(platform.logged.some((line) => line.includes('pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G'))).toBe(true);
    expect(platform.logged.some((line) => line.includes('pi_other'))).toBe(true);
  });

  test("the metadata of a charge cannot settle another organization's payment", async () => {
    const { id } = await paid(14, 'tok_slow');
    const other = await platform.organization();
    const intent = stripe.intentOf(id);
    const stolen = { ...intent, status: 'succeeded', metadata: { ...intent.metadata, organization_id: other.organizationId } };
    expect(await notify('payment_intent.succeeded', stolen)).toBe(204);
    expect((await till.payment(id)).status).toBe('pending');
  });
});

describe('notifications of Stripe about refunds', () => {
  test('a refund that somebody makes in the dashboard of Stripe is recorded once, and the ledger agrees with the records', async () => {
    const { invoice, id } = await paid(100);
    const refund = stripe.refundInDashboard(id, 4000);
    await Promise.all(['refund.created', 'refund.updated', 'refund.created'].map((type) => notify(type, refund)));
    expect(await till.payment(id)).toMatchObject({
      amount_refunded: 40,
      amount_refundable: 60,
      refunds: [{ status: 'successful', amount: 40, reason: 'Refunded at the payment processor' }],
    });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'paid', amount_refunded: 40 });
    await audited();
  });

  test('a refund that the platform made is recorded once, although Stripe also reports it', async () => {
    const { id } = await paid(50);
    const { body } = await till.refund(id, { amount: 20 });
    const refund = stripe.refunds.find(({ metadata }) => metadata.refund_id === body.data.refund_id);
    await times(5, () => notify('refund.created', refund ?? {}));
    expect(await till.payment(id)).toMatchObject({ amount_refunded: 20, refunds: [{ amount: 20 }] });
    await audited();
  });

  test('a refund that fails after it had succeeded gives the money back to the organization', async () => {
    const { invoice, id } = await paid(60);
    const { body } = await till.refund(id, { amount: 25 });
    const refund = stripe.refunds.find(({ metadata }) => metadata.refund_id === body.data.refund_id);
    const before = structuredClone(refund) ?? {};
    const failed = Object.assign(refund ?? {}, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
    await times(3, () => notify('refund.failed', failed));
    await notify('refund.created', before);
    expect(await till.payment(id)).toMatchObject({
      amount_refunded: 0,
      amount_refundable: 60,
      refunds: [{ status: 'failed', decline_code: 'invalid_method', tax_amount: 0 }],
    });
    expect(await till.invoice(invoice.id)).toMatchObject({ amount_refunded: 0 });
    await audited();
    // the events are in the log shortly after the response
    const told = await eventually(async () => {
      const found = await onRig(platform, () => till.events(body.data.refund_id));
      return found.length > 1 && found.map(([name, { refund: of }]) => [name, of.was_successful]);
    });
    expect(told).toEqual([
      ['payment.refunded', undefined],
      ['payment.refund_failed', true],
    ]);
    expect((await till.refund(id)).body.data).toMatchObject({ amount: 60, status: 'successful' });
    await audited();
  });

  test('if a payment came too late and is refunded in the dashboard of the processor, the account loses the credit that the payment became', async () => {
    // credit would pay them
    await payOpenInvoices(billed);
    const { invoice, id } = await paid(80, 'tok_slow');
    stripe.settle(id, 'requires_payment_method');
    await notify('payment_intent.payment_failed', stripe.intentOf(id));
    await till.pay(invoice);
    stripe.settle(id, 'succeeded');
    await notify('payment_intent.succeeded', stripe.intentOf(id));
    const creditOf = async () =>
      (await onRig(platform, () => booksOf(billed.tenant.organizationId))).credit.ledger[`${billed.accountId} USD`];
    expect(await creditOf()).toBe('80');
    await notify('refund.created', stripe.refundInDashboard(id, 8000));
    expect(await creditOf()).toBeUndefined();
    await audited();
  });
});

describe('notifications of Stripe about disputes', () => {
  test.each([
    ['in order', ['needs_response', 'under_review', 'lost'], 'lost', 'pending'],
    ['in order, and the dispute is won', ['needs_response', 'under_review', 'won'], 'won', 'paid'],
    ['out of order', ['won', 'needs_response', 'under_review'], 'won', 'paid'],
    ['only at the end', ['lost'], 'lost', 'pending'],
    ['and a lost dispute is won after all', ['needs_response', 'lost', 'won', 'lost'], 'won', 'paid'],
  ])('a dispute that Stripe reports %s has the expected result', async (_, statuses, expected, of) => {
    const { invoice, id } = await paid(70);
    for (const status of statuses) await times(2, () => notify('charge.dispute.updated', stripe.dispute(id, status)));
    expect(await till.payment(id)).toMatchObject({ amount_disputed: 0, disputes: [{ status: expected, amount: 70 }] });
    expect((await till.invoice(invoice.id)).status).toBe(of);
    await audited();
  });

  test('concurrent notifications about one dispute reopen the invoice once', async () => {
    const { invoice, id } = await paid(90);
    const dispute = stripe.dispute(id, 'needs_response');
    const types = ['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.updated'];
    const statuses = await Promise.all(types.flatMap((type) => [notify(type, dispute), notify(type, dispute)]));
    expect([...new Set(statuses)]).toEqual([204]);
    expect(await till.payment(id)).toMatchObject({ amount_disputed: 90, disputes: [{ status: 'open' }] });
    expect(await till.invoice(invoice.id)).toMatchObject({ status: 'pending', amount_due: 90 });
    await eventually(async () => (await namesAbout(id)).includes('payment.disputed'));
    expect((await namesAbout(id)).filter((name) => name === 'payment.disputed')).toHaveLength(1);
    await audited();
  });

  test('an inquiry of the bank, which takes no money, does not reopen the invoice', async () => {
    const { invoice, id } = await paid(15);
    for (const status of ['warning_needs_response', 'warning_under_review', 'warning_closed'])
      await notify('charge.dispute.updated', stripe.dispute(id, status));
    expect((await till.invoice(invoice.id)).status).toBe('paid');
    await audited();
  });

  test('a dispute of a payment of a suspended organization is recorded, because the money has been moved', async () => {
    const { id } = await paid(16);
    await onRig(platform, async () => {
      const owner = await operator();
      await owner.rest('POST', `/operator/organizations/${billed.tenant.organizationId}/suspend`, { body: { reason: 'Review' } });
      expect(await notify('charge.dispute.created', stripe.dispute(id, 'needs_response'))).toBe(204);
      await owner.rest('POST', `/operator/organizations/${billed.tenant.organizationId}/resume`);
    });
    expect(await eventually(async () => (await till.payment(id))?.disputes)).toMatchObject([{ status: 'open' }]);
    await audited();
  });
});
