import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/records/ids.ts';
import { Decimal } from '../../kernel/values/money.ts';
import {
  type Charge,
  ForgedNotice,
  MethodDeclined,
  OutcomeUnknown,
  ProcessorUnavailable,
  type RefundOrder,
} from '../../subgraphs/billing/processors/payment-processor.ts';
import { StripeProcessor } from '../../subgraphs/billing/processors/stripe-processor.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, type StripeFault, StripeServer } from '../support/stripe.server.ts';

const TIMEOUT_MS = 1500;
const DAY_MS = 24 * 60 * 60_000;

let server: StripeServer;
let clock: TestClock;
let processor: StripeProcessor;
const opened = (secretKey = STRIPE_KEY): StripeProcessor =>
  new StripeProcessor({ secretKey, webhookSecret: STRIPE_WEBHOOK_SECRET, clock, url: server.url, timeoutMs: TIMEOUT_MS });
beforeEach(async () => {
  server = await StripeServer.start();
  clock = new TestClock();
  processor = opened();
});
afterEach(() => server.close());

const account = { organizationId: 'org_1', accountId: 'acc_1', method: null };
const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const sent = (path: string) => server.requests.filter((request) => `${request.method} ${request.path}` === path);
const charges = () => sent('POST /v1/payment_intents');

async function chargeOf(token = 'tok_visa', fields: Partial<Charge> = {}): Promise<Charge> {
  const { reference: method } = await processor.attach(token, account);
  const { organizationId, accountId } = account;
  const amount = new Decimal('149.95');
  return {
    id: newId('payment'),
    organizationId,
    accountId,
    amount,
    currency: 'USD',
    method,
    reference: null,
    createdAt: clock.now(),
    ...fields,
  };
}

const refundOf = (charge: string): RefundOrder => ({
  id: newId('transaction'),
  organizationId: account.organizationId,
  charge,
  amount: new Decimal('49.95'),
  currency: 'USD',
  reference: null,
  createdAt: clock.now(),
});

describe('requests to Stripe', () => {
  test('a charge is sent in cents, with the payment id as its idempotency key and in its metadata', async () => {
    const charge = await chargeOf();
    await processor.charge(charge);
    expect(charges()).toMatchObject([
      {
        key: charge.id,
        body: {
          amount: '14995',
          currency: 'usd',
          customer: 'cus_1',
          payment_method: 'pm_1',
          confirm: 'true',
          off_session: 'true',
          automatic_payment_methods: { enabled: 'true', allow_redirects: 'never' },
          metadata: { payment_id: charge.id, organization_id: 'org_1', account_id: 'acc_1' },
        },
      },
    ]);
  });

  test('a refund is sent with its id as its idempotency key and in its metadata', async () => {
    const { reference } = await processor.charge(await chargeOf());
    const refund = refundOf(reference ?? '');
    await processor.refund(refund);
    expect(sent('POST /v1/refunds')).toMatchObject([
      { key: refund.id, body: { amount: '4995', payment_intent: reference, metadata: { refund_id: refund.id, organization_id: 'org_1' } } },
    ]);
  });

  test.each([
    ['500', 'ISK', '50000'],
    ['500', 'UGX', '50000'],
    ['500', 'JPY', '500'],
    ['500', 'MGA', '500'],
    ['5.12', 'KWD', '5120'],
  ])('a charge of %s %s is sent as %s', async (amount, currency, expected) => {
    const outcome = await processor.charge(await chargeOf('tok_visa', { amount: new Decimal(amount), currency }));
    expect(outcome.state).toBe('succeeded');
    expect(charges()[0]?.body.amount).toBe(expected);
  });

  test('an amount that Stripe cannot charge exactly is declined without a request', async () => {
    const outcome = await processor.charge(await chargeOf('tok_visa', { amount: new Decimal('5.125'), currency: 'KWD' }));
    expect(outcome).toMatchObject({ state: 'declined', code: 'unsupported', isFinal: true, reference: null });
    expect(charges()).toEqual([]);
  });

  test("an amount below Stripe's minimum is declined", async () => {
    const outcome = await processor.charge(await chargeOf('tok_visa', { amount: new Decimal('0.10') }));
    expect(outcome).toMatchObject({ state: 'declined', code: 'unsupported', isFinal: true });
  });
});

describe('payment methods at Stripe', () => {
  test('all payment methods of an account belong to one Stripe customer', async () => {
    const { reference } = await processor.attach('tok_visa', account);
    const second = await processor.attach('tok_mastercard', { ...account, method: reference });
    const other = await processor.attach('tok_visa', { ...account, accountId: 'acc_2' });
    expect([reference, second.reference, other.reference]).toEqual(['cus_1/pm_1', 'cus_1/pm_2', 'cus_2/pm_3']);
    expect(server.customers.map(({ metadata }) => metadata)).toEqual([
      { organization_id: 'org_1', account_id: 'acc_1' },
      { organization_id: 'org_1', account_id: 'acc_2' },
    ]);
  });

  test('attaching a payment method that the account already has always returns the same method, regardless of the time between the calls', async () => {
    const first = await processor.attach('tok_visa', account);
    server.forgetKeys();
    expect(await processor.attach('pm_1', { ...account, method: first.reference })).toEqual(first);
  });

  test('a card that the bank declines when it is attached is refused with the reason', async () => {
    const error = await errorOf(processor.attach('tok_chargeDeclined', account));
    expect(error).toBeInstanceOf(MethodDeclined);
    expect((error as MethodDeclined).decline).toEqual({ code: 'declined', isFinal: false });
  });

  test.each([500, 429, 401, 'drop'] as const)('no payment method is attached if Stripe fails with %s', async (fault) => {
    server.fail('POST /v1/payment_methods', fault);
    expect(await errorOf(processor.attach('tok_visa', account))).toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('unknown outcomes', () => {
  test.each([500, 429, 401, 'drop', 'hang'] as const)('a charge to which Stripe responds with %s has an unknown outcome', async (fault) => {
    const charge = await chargeOf();
    server.fail('POST /v1/payment_intents', fault);
    expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(charges()).toHaveLength(1);
  });

  test.each([429, 401] as const)(
    'a repeated charge to which Stripe responds with %s has an unknown outcome, because the first charge may have succeeded',
    async (fault) => {
      const charge = await chargeOf();
      await processor.charge(charge);
      server.fail('POST /v1/payment_intents', fault);
      expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
      expect(await processor.findCharge(charge)).toMatchObject({ state: 'succeeded' });
    },
  );

  test('a repeated charge after a 500 has an unknown outcome again, because Stripe repeats the response for the same idempotency key', async () => {
    const charge = await chargeOf();
    server.fail('POST /v1/payment_intents', 500);
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(new Set(charges().map(({ key }) => key))).toEqual(new Set([charge.id]));
    expect(await processor.findCharge(charge)).toBeNull();
  });

  test('a charge that did not arrive succeeds when it is repeated', async () => {
    const charge = await chargeOf();
    server.fail('POST /v1/payment_intents', 'drop');
    expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(await processor.charge(charge)).toMatchObject({ state: 'succeeded' });
    expect(server.intents).toHaveLength(1);
  });

  test('a charge has an unknown outcome, and is not declined, while another request with the same idempotency key is in progress', async () => {
    const charge = await chargeOf();
    server.delayMs = 300;
    const results = await Promise.all([errorOf(processor.charge(charge)), errorOf(processor.charge(charge))]);
    expect(results.filter((result) => result instanceof OutcomeUnknown)).toHaveLength(1);
    expect(server.intents).toHaveLength(1);
  });

  test('a charge to a server that is not reachable has an unknown outcome', async () => {
    const charge = await chargeOf();
    server.close();
    expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(await errorOf(processor.findCharge(charge))).toBeInstanceOf(OutcomeUnknown);
  });

  test('findCharge throws OutcomeUnknown, and does not return null, if the request to Stripe fails', async () => {
    const charge = await chargeOf();
    for (const fault of [500, 429, 401] satisfies StripeFault[]) {
      server.fail('GET /v1/payment_intents', fault);
      expect(await errorOf(processor.findCharge(charge))).toBeInstanceOf(OutcomeUnknown);
    }
    expect(await errorOf(processor.findCharge({ ...charge, reference: 'pi_of_another_stripe_account' }))).toBeInstanceOf(OutcomeUnknown);
    expect(await errorOf(opened('sk_test_revoked').findCharge(charge))).toBeInstanceOf(OutcomeUnknown);
  });

  test('an error about a request does not contain the secret key', async () => {
    const secretKey = 'sk_test_revoked_key_of_somebody';
    const charge = await chargeOf();
    const error = (await errorOf(opened(secretKey).charge(charge))) as Error;
    expect([error.message, error.stack, String(error.cause)].join('\n')).not.toContain(secretKey);
  });

  test('a charge that needs an action of the customer, such as an authentication, is declined', async () => {
    const charge = await chargeOf();
    await processor.charge(charge);
    server.intents[0].status = 'requires_action';
    expect(await processor.findCharge(charge)).toMatchObject({ state: 'declined', code: 'authentication_required', isFinal: true });
  });

  test('a charge that Stripe is still creating has an unknown outcome', async () => {
    const charge = await chargeOf();
    await processor.charge(charge);
    server.intents[0].status = 'requires_payment_method';
    expect(await errorOf(processor.findCharge(charge))).toBeInstanceOf(OutcomeUnknown);
  });
});

describe('orders that are older than the idempotency keys of Stripe', () => {
  test('a charge from the previous day is not made a second time after Stripe has deleted its idempotency key', async () => {
    const charge = await chargeOf();
    const first = await processor.charge(charge);
    server.forgetKeys();
    clock.advance(DAY_MS);
    expect(await processor.charge(charge)).toEqual(first);
    expect(server.intents).toHaveLength(1);
  });

  test('a charge from the previous day that never arrived is charged once', async () => {
    const charge = await chargeOf();
    clock.advance(DAY_MS);
    expect(await processor.charge(charge)).toMatchObject({ state: 'succeeded' });
    expect(server.intents).toHaveLength(1);
  });

  test('a charge from the previous day is not sent again if the search for it at Stripe fails', async () => {
    const charge = await chargeOf();
    clock.advance(DAY_MS);
    server.fail('GET /v1/payment_intents', 500);
    expect(await errorOf(processor.charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(charges()).toEqual([]);
  });

  test('a refund from the previous day is not made a second time after Stripe has deleted its idempotency key', async () => {
    const { reference } = await processor.charge(await chargeOf());
    const refund = refundOf(reference ?? '');
    const first = await processor.refund(refund);
    server.forgetKeys();
    clock.advance(DAY_MS);
    expect(await processor.refund(refund)).toEqual(first);
    expect(server.refunds).toHaveLength(1);
  });
});

describe('webhooks of Stripe', () => {
  const metadata = { payment_id: 'pay_1', organization_id: 'org_1' };
  const event = { id: 'evt_1', type: 'payment_intent.succeeded', data: { object: { id: 'pi_1', status: 'succeeded', metadata } } };
  const payload = JSON.stringify(event);
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const signature = ({ secret = STRIPE_WEBHOOK_SECRET, timestamp = nowSeconds() } = {}): string =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const read = (header: string, body = payload) => processor.read(Buffer.from(body), { 'stripe-signature': header });

  test('the notice in a signed webhook request contains the outcome of a payment', () => {
    expect(read(signature())).toEqual({
      kind: 'payment',
      id: 'pay_1',
      organizationId: 'org_1',
      outcome: { state: 'succeeded', reference: 'pi_1' },
    });
  });

  test('a webhook request with a changed body, another secret, or a signature of 400 seconds ago is refused', () => {
    expect(() => read(signature(), payload.replace('pay_1', 'pay_2'))).toThrow(ForgedNotice);
    expect(() => read(signature({ secret: 'whsec_other' }))).toThrow(ForgedNotice);
    expect(() => read(signature({ timestamp: nowSeconds() - 400 }))).toThrow(ForgedNotice);
    expect(read(signature({ timestamp: nowSeconds() - 200 }))).not.toBeNull();
  });
});
