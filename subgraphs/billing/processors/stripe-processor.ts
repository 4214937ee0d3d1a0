import Stripe from 'stripe';
import type { Clock } from '../../../kernel/clock.ts';
import {
  type Charge,
  type Decline,
  declined,
  ForgedNotice,
  type MethodDetails,
  type NoticeHeaders,
  type PayingAccount,
  type PaymentOutcome,
  type PaymentProcessor,
  type ProcessorNotice,
  type RefundOrder,
} from './payment-processor.ts';
import { toStripeAmount } from './stripe-amounts.ts';
import { StripeMethods, stripeMethod } from './stripe-methods.ts';
import { noticeOf } from './stripe-notices.ts';
import { errorOutcome, intentOutcome, refundOutcome, unknownOutcome } from './stripe-outcomes.ts';

const STRIPE_URL = 'https://api.stripe.com';
const TIMEOUT_MS = 30_000;
/** Maximum age of the signature of a webhook request. It limits how long an attacker can send a recorded request again. */
const TOLERANCE_SECONDS = 300;
/** Time for which an idempotency key is used. Stripe may forget a key after 24 hours, and would charge again for a repeated request. */
const KEY_LIFETIME_MS = 23 * 60 * 60_000;
/** Maximum time by which Stripe's clock can be behind the platform's clock. */
const CLOCK_SKEW_SECONDS = 300;
const PAGE_SIZE = 100;

export interface StripeOptions {
  secretKey: string;
  /** Secret of the webhook endpoint, `whsec_…`. */
  webhookSecret: string;
  clock: Clock;
  /** Base URL of the API. Default: Stripe's public URL. */
  url?: string | undefined;
  /** Time limit of a request. If it is exceeded, the outcome of a charge is unknown. Default: 30 seconds. */
  timeoutMs?: number | undefined;
}

/**
 * Charges and refunds with Stripe. The idempotency key of a request is the id of the payment or refund, which the
 * metadata contains too. Stripe deletes old keys, so before an older payment is sent again, the processor searches for
 * it at Stripe. It uses lists and not Stripe's search, which finds new payments only after a delay.
 */
export class StripeProcessor implements PaymentProcessor {
  readonly name = 'stripe';
  readonly simulated: boolean;
  readonly #stripe: Stripe;
  readonly #methods: StripeMethods;
  readonly #webhookSecret: string;
  readonly #clock: Clock;

  constructor({ secretKey, webhookSecret, clock, url = STRIPE_URL, timeoutMs = TIMEOUT_MS }: StripeOptions) {
    const { protocol, hostname: host, port } = new URL(url);
    this.#stripe = new Stripe(secretKey, {
      host,
      port: port || (protocol === 'http:' ? '80' : '443'),
      protocol: protocol === 'http:' ? 'http' : 'https',
      timeout: timeoutMs,
      // the platform's jobs retry
      maxNetworkRetries: 0,
      telemetry: false,
    });
    this.#methods = new StripeMethods(this.#stripe);
    // keys of Stripe's test mode move no money
    this.simulated = /^[a-z]+_test_/.test(secretKey);
    this.#webhookSecret = webhookSecret;
    this.#clock = clock;
  }

  async charge(charge: Charge): Promise<PaymentOutcome> {
    const amount = toStripeAmount(charge.amount, charge.currency);
    const stored = stripeMethod(charge.method);
    if (amount === null) return declined('unsupported', true);
    if (!stored) return declined('invalid_method', true);
    const found = this.#mustLookUp(charge) ? await this.findCharge(charge) : null;
    if (found) return found;
    const { id, currency, organizationId, accountId } = charge;
    return this.#outcome(id, intentOutcome, { code: 'processing_error', isFinal: false }, () =>
      this.#stripe.paymentIntents.create(
        {
          amount,
          currency: currency.toLowerCase(),
          customer: stored.customer,
          payment_method: stored.method,
          confirm: true,
          off_session: true,
          // nobody is there to be redirected
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          metadata: { payment_id: id, organization_id: organizationId, account_id: accountId },
        },
        { idempotencyKey: id },
      ),
    );
  }

  findCharge(charge: Charge): Promise<PaymentOutcome | null> {
    const { id, reference, method, createdAt } = charge;
    const stored = stripeMethod(method);
    return this.#found(intentOutcome, async () => {
      if (reference) return this.#stripe.paymentIntents.retrieve(reference);
      if (!stored) return undefined;
      const since = Math.floor(createdAt.getTime() / 1000) - CLOCK_SKEW_SECONDS;
      const listed = this.#stripe.paymentIntents.list({ customer: stored.customer, created: { gte: since }, limit: PAGE_SIZE });
      return first(listed, ({ metadata }) => metadata.payment_id === id);
    });
  }

  async refund(refund: RefundOrder): Promise<PaymentOutcome> {
    const amount = toStripeAmount(refund.amount, refund.currency);
    if (amount === null) return declined('unsupported', true);
    const found = this.#mustLookUp(refund) ? await this.findRefund(refund) : null;
    if (found) return found;
    const { id, charge, organizationId } = refund;
    const metadata = { refund_id: id, organization_id: organizationId };
    return this.#outcome(id, refundOutcome, { code: 'not_refundable', isFinal: true }, () =>
      this.#stripe.refunds.create({ payment_intent: charge, amount, metadata }, { idempotencyKey: id }),
    );
  }

  findRefund({ id, charge, reference }: RefundOrder): Promise<PaymentOutcome | null> {
    return this.#found(refundOutcome, async () => {
      if (reference) return this.#stripe.refunds.retrieve(reference);
      const listed = this.#stripe.refunds.list({ payment_intent: charge, limit: PAGE_SIZE });
      return first(listed, ({ metadata }) => metadata?.refund_id === id);
    });
  }

  attach(token: string, account: PayingAccount): Promise<MethodDetails> {
    return this.#methods.attach(token, account);
  }

  detach(method: string): Promise<void> {
    return this.#methods.detach(method);
  }

  read(body: Buffer, headers: NoticeHeaders): ProcessorNotice | null {
    const signature = headers['stripe-signature'];
    if (typeof signature !== 'string') throw new ForgedNotice('The webhook request has no Stripe-Signature header.');
    return noticeOf(this.#verified(body, signature), this.#clock.now());
  }

  #verified(body: Buffer, signature: string): Stripe.Event {
    try {
      return this.#stripe.webhooks.constructEvent(body, signature, this.#webhookSecret, TOLERANCE_SECONDS);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      throw new ForgedNotice('The signature of the webhook request is not valid or too old.');
    }
  }

  /**
   * Returns true if a repeated request must first be looked up at Stripe, because its idempotency key is too old, or would return an
   * outdated outcome.
   */
  #mustLookUp({ reference, createdAt }: Charge | RefundOrder): boolean {
    return reference !== null || this.#clock.now().getTime() - createdAt.getTime() > KEY_LIFETIME_MS;
  }

  /**
   * Sends a charge or refund and returns its outcome. `refused` is the reason if Stripe refuses the charge or refund without a known code.
   */
  async #outcome<T>(id: string, outcomeOf: OutcomeOf<T>, refused: Decline, send: () => Promise<T>): Promise<PaymentOutcome> {
    let sent: T;
    try {
      sent = await send();
    } catch (error) {
      return errorOutcome(error, id, refused);
    }
    return known(outcomeOf(sent, this.#clock.now()));
  }

  /**
   * Finds a charge or refund at Stripe. Any error means that the outcome is unknown. This includes a 404, because the API key may belong to
   * another Stripe account.
   */
  async #found<T>(outcomeOf: OutcomeOf<T>, find: () => Promise<T | undefined>): Promise<PaymentOutcome | null> {
    const found = await find().catch((error: unknown) => {
      throw unknownOutcome(error);
    });
    return found ? known(outcomeOf(found, this.#clock.now())) : null;
  }
}

type OutcomeOf<T> = (sent: T, now: Date) => PaymentOutcome | undefined;

function known(outcome: PaymentOutcome | undefined): PaymentOutcome {
  if (!outcome) throw unknownOutcome();
  return outcome;
}

/** Returns the first matching object of a paged list. Reads as many pages as necessary. */
async function first<T>(items: AsyncIterable<T>, matches: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (matches(item)) return item;
  return undefined;
}
