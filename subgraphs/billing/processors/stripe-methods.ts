import Stripe from 'stripe';
import { refuseCardNumber } from './card-number.ts';
import { MethodDeclined, type MethodDetails, type PayingAccount, ProcessorUnavailable, UnknownToken } from './payment-processor.ts';
import { declineOf } from './stripe-declines.ts';

/** Tokens (`tok_…`) and payment methods (`pm_…`) that Stripe's libraries for browsers create. */
const TOKEN = /^(?:tok|pm)_\w{1,200}$/;
const REFERENCE = /^(cus_\w+)\/(\w+)$/;

/** Stripe's ids of a payment method and its customer. Stripe charges a stored method only together with its customer. */
export interface StripeMethod {
  customer: string;
  method: string;
}

/** Returns Stripe's ids from the reference of a payment method. Undefined if Stripe has not issued the reference. */
export function stripeMethod(reference: string): StripeMethod | undefined {
  const [, customer, method] = REFERENCE.exec(reference) ?? [];
  return customer && method ? { customer, method } : undefined;
}

/**
 * Attaches payment methods to Stripe customers. An account gets one customer, with its first payment method. Later methods of the account
 * get the same customer, whose id is in the reference of the first method.
 */
export class StripeMethods {
  constructor(private readonly stripe: Stripe) {}

  /** Implements `PaymentProcessor.attach`. */
  async attach(token: string, account: PayingAccount): Promise<MethodDetails> {
    refuseCardNumber(token);
    if (!TOKEN.test(token)) throw unknownToken();
    try {
      return await this.#attach(token, account);
    } catch (error) {
      const { StripeCardError, StripeError, StripeInvalidRequestError } = Stripe.errors;
      if (error instanceof StripeCardError) throw new MethodDeclined(declineOf(error));
      // without a cause, because the message contains the token
      if (error instanceof StripeInvalidRequestError) throw unknownToken();
      if (error instanceof StripeError) throw new ProcessorUnavailable('Stripe did not store the payment method.', { cause: error });
      throw error;
    }
  }

  /** Implements `PaymentProcessor.detach`. */
  async detach(reference: string): Promise<void> {
    const stored = stripeMethod(reference);
    if (!stored) return;
    try {
      await this.stripe.paymentMethods.detach(stored.method);
    } catch (error) {
      // it was detached before
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return;
      throw new ProcessorUnavailable('Stripe did not detach the payment method.', { cause: error });
    }
  }

  async #attach(token: string, account: PayingAccount): Promise<MethodDetails> {
    const method = await this.#methodOf(token, account);
    const known = account.method === null ? undefined : stripeMethod(account.method);
    const customer = known?.customer ?? (await this.#createCustomer(account));
    if (method.customer === customer) return detailsOf(method, customer);
    const key = `attach ${customer} ${method.id}`;
    return detailsOf(await this.stripe.paymentMethods.attach(method.id, { customer }, { idempotencyKey: key }), customer);
  }

  #methodOf(token: string, { accountId }: PayingAccount): Promise<Stripe.PaymentMethod> {
    if (token.startsWith('pm_')) return this.stripe.paymentMethods.retrieve(token);
    // Stripe accepts its test tokens for any number of accounts, so the key contains the account
    return this.stripe.paymentMethods.create({ type: 'card', card: { token } }, { idempotencyKey: `method ${accountId} ${token}` });
  }

  async #createCustomer({ organizationId, accountId }: PayingAccount): Promise<string> {
    const metadata = { organization_id: organizationId, account_id: accountId };
    return (await this.stripe.customers.create({ metadata }, { idempotencyKey: `customer ${accountId}` })).id;
  }
}

const unknownToken = (): UnknownToken => new UnknownToken('is not a token that Stripe has issued for this platform.');

/** Reads the details of a payment method. The names of the detail fields depend on the kind of method, except `last4` and `fingerprint`. */
function detailsOf(method: Stripe.PaymentMethod, customer: string): MethodDetails {
  const { id, type, card } = method;
  const other = method[type as 'us_bank_account'];
  return {
    reference: `${customer}/${id}`,
    type,
    brand: card?.brand ?? null,
    last4: card?.last4 ?? other?.last4 ?? null,
    expires: card ? { month: card.exp_month, year: card.exp_year } : null,
    reusable: true,
    fingerprint: card?.fingerprint ?? other?.fingerprint ?? null,
  };
}
