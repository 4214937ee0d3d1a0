import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Rows } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { Decimal, sum } from '../../kernel/values/money.ts';
import { migrations } from '../../subgraphs/billing/migrations/index.ts';
import type { Charge, PaymentOutcome, PaymentProcessor, RefundOrder } from '../../subgraphs/billing/processors/payment-processor.ts';
import { ForgedNotice, IdempotencyMismatch, OutcomeUnknown, UnknownToken } from '../../subgraphs/billing/processors/payment-processor.ts';
import { StripeProcessor } from '../../subgraphs/billing/processors/stripe-processor.ts';
import { TestProcessor } from '../../subgraphs/billing/processors/test-processor.ts';
import { silent } from '../support/domain-world.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '../support/stripe.server.ts';

/** Time limit of a processor call. It is long enough for a slow machine. A test of a lost response takes this time. */
const TIMEOUT_MS = 1500;

const TOKENS = ['works', 'isEmpty', 'isExpired', 'isSlow', 'refusesRefunds'] as const;

/** A payment processor under test. All contenders have tokens with the same behaviour, but with different names. */
interface Contender {
  /** Returns a new instance of the processor, as after a restart of the process. */
  open(): PaymentProcessor;
  tokens: Readonly<Record<(typeof TOKENS)[number], string>>;
  /** Simulates the loss of the response to the next charge. Returns the token that the charge must use. */
  losesResponse(): string;
  /** Simulates the loss of the next charge. Returns the token that the charge must use. */
  losesCharge(): string;
  /** Completes a pending payment. */
  settle(paymentId: string): void;
  /** Returns the ids of the charged payments, one entry for each time that money moved. */
  charged(): Promise<string[]>;
  close(): void;
}

const clock = new TestClock();
let rows: Rows;
let drop: () => Promise<void>;
beforeAll(async () => {
  const empty = await emptyDatabase(silent);
  drop = empty.drop;
  ({ rows } = await empty.database.attach({ schema: 'billing', entities: [], migrations }));
});
afterAll(() => drop());

const simulator = async (): Promise<Contender> => ({
  open: () => new TestProcessor(rows, clock),
  tokens: {
    works: 'tok_visa',
    isEmpty: 'tok_chargeDeclinedInsufficientFunds',
    isExpired: 'tok_chargeDeclinedExpiredCard',
    isSlow: 'tok_delayed',
    refusesRefunds: 'tok_refund_fails',
  },
  losesResponse: () => 'tok_timeout_succeeds',
  losesCharge: () => 'tok_timeout_lost',
  settle: () => clock.advance(30_000),
  charged: async () => {
    const found = await rows.query<{ id: string }>('select "id" from "billing"."test_processor_charge" where "decline_code" is null', []);
    return found.map(({ id }) => id);
  },
  close: () => undefined,
});

async function stripe(): Promise<Contender> {
  const server = await StripeServer.start();
  const options = { secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, clock, url: server.url, timeoutMs: TIMEOUT_MS };
  const failing = (fault: 'hang' | 'drop'): string => {
    server.fail('POST /v1/payment_intents', fault);
    return 'tok_visa';
  };
  return {
    open: () => new StripeProcessor(options),
    tokens: { works: 'tok_visa', isEmpty: 'tok_emptied', isExpired: 'tok_expired', isSlow: 'tok_slow', refusesRefunds: 'tok_closed' },
    losesResponse: () => failing('hang'),
    losesCharge: () => failing('drop'),
    settle: (paymentId) => server.settle(paymentId, 'succeeded'),
    charged: async () => server.intents.filter(({ status }) => status === 'succeeded').map(({ metadata }) => metadata.payment_id),
    close: () => server.close(),
  };
}

const money = (text: string): Decimal => new Decimal(text);
const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** Returns the reference of an outcome that must have succeeded. */
function referenceOf(outcome: PaymentOutcome | null): string {
  expect(outcome).toMatchObject({ state: 'succeeded' });
  return outcome?.reference ?? '';
}

describe.each([
  ['test processor', simulator],
  ['Stripe processor', stripe],
])('contract of the %s', (_, start) => {
  let contender: Contender;
  let organizationId: string;
  let accountId: string;
  beforeEach(async () => {
    contender = await start();
    organizationId = newId('organization');
    accountId = newId('account');
  });
  afterEach(() => contender.close());

  /** Returns a new instance for each call, so that no result depends on state in memory. */
  const processor = (): PaymentProcessor => contender.open();
  const attach = (token: string) => processor().attach(token, { organizationId, accountId, method: null });

  async function chargeOf(token: string, fields: Partial<Charge> = {}): Promise<Charge> {
    const { reference: method } = await attach(token);
    const createdAt = clock.now();
    return {
      id: newId('payment'),
      organizationId,
      accountId,
      amount: money('10.00'),
      currency: 'USD',
      method,
      reference: null,
      createdAt,
      ...fields,
    };
  }
  const refundOf = (charge: string, fields: Partial<RefundOrder> = {}): RefundOrder => ({
    id: newId('transaction'),
    organizationId,
    charge,
    amount: money('4.00'),
    currency: 'USD',
    reference: null,
    createdAt: clock.now(),
    ...fields,
  });
  const chargedOnce = async (id: string): Promise<void> =>
    expect((await contender.charged()).filter((charged) => charged === id)).toHaveLength(1);

  test('attaching a token returns the brand, last digits and expiry of the card, and a reference for charges', async () => {
    const details = await attach(contender.tokens.works);
    expect(details).toMatchObject({ type: 'card', brand: 'visa', last4: '4242', expires: { month: 12 }, reusable: true });
    expect(details.reference).not.toBe('');
    expect(details.fingerprint).not.toBeNull();
  });

  test('detaching a payment method succeeds, even if it is repeated or if the processor does not have the method', async () => {
    const { reference } = await attach(contender.tokens.works);
    await processor().detach(reference);
    await processor().detach(reference);
    await processor().detach('cus_unknown/pm_unknown');
  });

  test('attaching a token again returns the same payment method', async () => {
    const first = await attach(contender.tokens.works);
    expect(await attach(contender.tokens.works)).toEqual(first);
  });

  test.each(['tok_unknown', 'pm_unknown', '', 'constructor', '../customers', '4242424242424242', '4242 4242 4242 4242'])(
    'the token %j is refused, and the error does not contain it',
    async (token) => {
      const error = await errorOf(attach(token));
      expect(error).toBeInstanceOf(UnknownToken);
      if (token) expect((error as Error).stack).not.toContain(token);
      expect((error as Error).message).not.toMatch(/\d{4}/);
    },
  );

  test('a charge that is repeated with the same id returns the same outcome, and money is moved only once', async () => {
    const charge = await chargeOf(contender.tokens.works);
    const first = await processor().charge(charge);
    const reference = referenceOf(first);
    expect(await processor().charge(charge)).toEqual(first);
    expect(await processor().charge({ ...charge, reference })).toEqual(first);
    await chargedOnce(charge.id);
  });

  test('concurrent charges with the same id move money once', async () => {
    const charge = await chargeOf(contender.tokens.works);
    await Promise.all(Array.from({ length: 8 }, () => errorOf(processor().charge(charge))));
    referenceOf(await processor().findCharge(charge));
    await chargedOnce(charge.id);
  });

  test('reusing the id of a charge with another amount, currency or payment method is refused', async () => {
    const charge = await chargeOf(contender.tokens.works);
    referenceOf(await processor().charge(charge));
    const { method } = await chargeOf('tok_mastercard');
    for (const other of [{ amount: money('20.00') }, { currency: 'EUR' }, { method }])
      expect(await errorOf(processor().charge({ ...charge, ...other }))).toBeInstanceOf(IdempotencyMismatch);
    await chargedOnce(charge.id);
  });

  test('findCharge returns the outcome of a charge with or without its reference', async () => {
    const charges = await Promise.all(Array.from({ length: 5 }, () => chargeOf(contender.tokens.works)));
    const references: string[] = [];
    for (const charge of charges) references.push(referenceOf(await processor().charge(charge)));
    expect(new Set(references).size).toBe(charges.length);
    for (const [index, charge] of charges.entries()) {
      const reference = references[index] as string;
      expect(referenceOf(await processor().findCharge(charge))).toBe(reference);
      expect(referenceOf(await processor().findCharge({ ...charge, reference }))).toBe(reference);
    }
  });

  test('findCharge returns null for a charge that was never sent', async () => {
    expect(await processor().findCharge(await chargeOf(contender.tokens.works))).toBeNull();
  });

  test.each([
    ['isEmpty', 'insufficient_funds', false],
    ['isExpired', 'expired', true],
  ] as const)('a charge of a card that %s is declined as %s', async (token, code, isFinal) => {
    const charge = await chargeOf(contender.tokens[token]);
    const outcome = await processor().charge(charge);
    expect(outcome).toMatchObject({ state: 'declined', code, isFinal });
    expect(await processor().charge(charge)).toEqual(outcome);
    expect(await processor().findCharge(charge)).toMatchObject({ state: 'declined', code, isFinal });
    expect(await contender.charged()).not.toContain(charge.id);
  });

  test('a charge of a payment method that the processor does not have is declined', async () => {
    for (const method of ['tok_elsewhere', 'cus_9/pm_9']) {
      const charge = await chargeOf(contender.tokens.works, { method });
      expect(await processor().charge(charge)).toMatchObject({ state: 'declined', code: 'invalid_method', isFinal: true });
    }
  });

  test('a charge whose response is lost has an unknown outcome, findCharge returns the outcome, and a repeated charge moves no money', async () => {
    const charge = await chargeOf(contender.losesResponse());
    expect(await errorOf(processor().charge(charge))).toBeInstanceOf(OutcomeUnknown);
    const reference = referenceOf(await processor().findCharge(charge));
    expect(referenceOf(await processor().charge(charge))).toBe(reference);
    await chargedOnce(charge.id);
  });

  test('a charge that does not reach the processor has an unknown outcome, and findCharge returns null', async () => {
    const charge = await chargeOf(contender.losesCharge());
    expect(await errorOf(processor().charge(charge))).toBeInstanceOf(OutcomeUnknown);
    expect(await processor().findCharge(charge)).toBeNull();
    expect(await contender.charged()).not.toContain(charge.id);
  });

  test('a slow charge is pending until the processor completes it', async () => {
    const charge = await chargeOf(contender.tokens.isSlow);
    const pending = await processor().charge(charge);
    expect(pending).toMatchObject({ state: 'pending' });
    if (pending.state !== 'pending') return;
    expect(pending.lookAgainAt.getTime()).toBeGreaterThan(clock.now().getTime());
    expect(await processor().findCharge(charge)).toMatchObject({ state: 'pending', reference: pending.reference });
    contender.settle(charge.id);
    expect(referenceOf(await processor().findCharge(charge))).toBe(pending.reference);
    expect(referenceOf(await processor().charge({ ...charge, reference: pending.reference }))).toBe(pending.reference);
  });

  test('a refund that is repeated with the same id refunds once, and findRefund returns its outcome', async () => {
    const reference = referenceOf(await processor().charge(await chargeOf(contender.tokens.works)));
    const refund = refundOf(reference, { amount: money('10.00') });
    expect(await processor().findRefund(refund)).toBeNull();
    const first = await processor().refund(refund);
    expect(await processor().refund(refund)).toEqual(first);
    expect(await processor().findRefund(refund)).toEqual(first);
    expect(await processor().findRefund({ ...refund, reference: referenceOf(first) })).toEqual(first);
    expect(await processor().refund(refundOf(reference))).toMatchObject({ state: 'declined', code: 'not_refundable', isFinal: true });
  });

  test('the refund of a charge whose bank refuses refunds returns the state declined, and findRefund returns the same outcome', async () => {
    const reference = referenceOf(await processor().charge(await chargeOf(contender.tokens.refusesRefunds)));
    const refund = refundOf(reference);
    const outcome = await processor().refund(refund);
    expect(outcome).toMatchObject({ state: 'declined', available: null });
    expect(await processor().findRefund(refund)).toEqual(outcome);
  });

  test('a refund of a charge that does not exist is declined', async () => {
    expect(await processor().refund(refundOf('pi_unknown'))).toMatchObject({ state: 'declined', isFinal: true });
  });

  test('a webhook request without a valid signature is refused', () => {
    const body = Buffer.from(JSON.stringify({ type: 'payment_intent.succeeded' }));
    for (const headers of [{}, { 'stripe-signature': 't=1,v1=00' }, { 'stripe-signature': ['t=1', 'v1=00'] }])
      expect(() => processor().read(body, headers)).toThrow(ForgedNotice);
  });

  test('random charges and lookups have the same outcomes as a model that stores one charge for each id', async () => {
    const step = fc.record({
      act: fc.constantFrom('charge', 'find'),
      id: fc.constantFrom('a', 'b', 'c'),
      amount: fc.constantFrom('1.00', '2.50'),
    });
    const template = await chargeOf(contender.tokens.works);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const prefix = newId('payment');
        const book = new Map<string, string>();
        for (const { act, id, amount } of steps) {
          const charge = { ...template, id: `${prefix}${id}`, amount: money(amount) };
          const recorded = book.get(id);
          const call = act === 'find' ? processor().findCharge(charge) : processor().charge(charge);
          if (act === 'find' && recorded === undefined) expect(await call).toBeNull();
          else if (act === 'charge' && recorded !== undefined && recorded !== amount)
            expect(await errorOf(call)).toBeInstanceOf(IdempotencyMismatch);
          else referenceOf(await call);
          if (act === 'charge' && recorded === undefined) book.set(id, amount);
        }
        const charged = (await contender.charged()).filter((id) => id.startsWith(prefix));
        expect(charged.sort()).toEqual([...book.keys()].map((id) => `${prefix}${id}`).sort());
      }),
      { numRuns: 15 },
    );
  });

  test('random refunds of a charge never exceed the charge', async () => {
    const cents = fc.integer({ min: 1, max: 700 });
    const template = await chargeOf(contender.tokens.works);
    await fc.assert(
      fc.asyncProperty(fc.array(cents, { minLength: 1, maxLength: 6 }), async (amounts) => {
        const reference = referenceOf(await processor().charge({ ...template, id: newId('payment') }));
        const refunded: Decimal[] = [];
        for (const amount of amounts.map((value) => new Decimal(value).dividedBy(100))) {
          const fits = sum([...refunded, amount]).lessThanOrEqualTo(10);
          expect((await processor().refund(refundOf(reference, { amount }))).state).toBe(fits ? 'succeeded' : 'declined');
          if (fits) refunded.push(amount);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('tokens of the test processor', () => {
  const charge = (token: string, accountId: string, organizationId = accountId): Charge => ({
    id: newId('payment'),
    organizationId,
    accountId,
    amount: money('49.90'),
    currency: 'USD',
    method: token,
    reference: null,
    createdAt: clock.now(),
  });
  const processor = () => new TestProcessor(rows, clock);

  test('a charge that is declined for insufficient funds states the available amount', async () => {
    const outcome = await processor().charge(charge('tok_chargeDeclinedInsufficientFunds', newId('account')));
    expect(outcome.state === 'declined' && outcome.available?.toFixed(2)).toBe('10.00');
  });

  test('tok_delayed_fails is pending for 30 seconds and then declined', async () => {
    const slow = charge('tok_delayed_fails', newId('account'));
    await clock.standingStill(async () => {
      const lookAgainAt = new Date(clock.now().getTime() + 30_000);
      expect(await processor().charge(slow)).toMatchObject({ state: 'pending', lookAgainAt });
    });
    clock.advance(31_000);
    expect(await processor().findCharge(slow)).toMatchObject({ state: 'declined', code: 'declined', isFinal: false });
  });

  test('tok_timeout_fails simulates a declined charge whose response is lost', async () => {
    const lost = charge('tok_timeout_fails', newId('account'));
    expect(await errorOf(processor().charge(lost))).toBeInstanceOf(OutcomeUnknown);
    expect(await processor().findCharge(lost)).toMatchObject({ state: 'declined', code: 'declined' });
  });

  test('tok_decline_once declines only the first charge of each account', async () => {
    const [one, other] = [newId('account'), newId('account')];
    const first = charge('tok_decline_once', one);
    expect((await processor().charge(first)).state).toBe('declined');
    expect((await processor().charge(charge('tok_decline_once', one))).state).toBe('succeeded');
    expect((await processor().charge(charge('tok_decline_once', other))).state).toBe('declined');
    expect((await processor().charge(first)).state).toBe('declined');
  });

  test('two organizations can use the same id for different charges', async () => {
    const one = charge('tok_visa', newId('organization'));
    const other = { ...charge('tok_visa', newId('organization')), id: one.id, amount: money('1.00') };
    referenceOf(await processor().charge(one));
    referenceOf(await processor().charge(other));
    const refund = { ...one, charge: `test_${one.id}`, organizationId: newId('organization') };
    expect(await processor().refund(refund)).toMatchObject({ state: 'declined', code: 'not_refundable' });
  });
});
