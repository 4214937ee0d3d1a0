import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import type { Json } from '../tenant.ts';

export const STRIPE_KEY = 'sk_test_platform';
export const STRIPE_WEBHOOK_SECRET = 'whsec_platform';

/** Behaviour of the Stripe test server for the card of a token. `attach` and `charge` are decline codes. */
interface Card {
  brand: string;
  last4: string;
  attach?: string;
  charge?: string;
  /** True if the charge is processing until the test settles it, as for bank debits. */
  isSlow?: boolean;
  /** Reason with which refunds of the card fail. */
  refund?: string;
}

const VISA = { brand: 'visa', last4: '4242' };
/** Cards by token. As in Stripe's test mode, most declined cards are declined when they are attached. */
const CARDS: Record<string, Card> = {
  tok_visa: VISA,
  tok_mastercard: { brand: 'mastercard', last4: '4444' },
  tok_chargeDeclined: { ...VISA, last4: '0002', attach: 'generic_decline' },
  tok_chargeCustomerFail: { ...VISA, last4: '0341', charge: 'generic_decline' },
  tok_emptied: { ...VISA, charge: 'insufficient_funds' },
  tok_expired: { ...VISA, charge: 'expired_card' },
  tok_slow: { ...VISA, isSlow: true },
  tok_closed: { ...VISA, refund: 'lost_or_stolen_card' },
};
/** Currencies whose amounts must be a multiple of a number, with this number. */
const MULTIPLES: Record<string, number> = { isk: 100, ugx: 100, bhd: 10, jod: 10, kwd: 10, omr: 10, tnd: 10 };
const LEAST_AMOUNT = 50;

/**
 * A fault of the next request with a method and path. `drop`: the request is not processed and gets no response. `hang`: the request is
 * processed, but the response never arrives. A number is the status of an error response; the request is not processed.
 */
export type StripeFault = 'drop' | 'hang' | 500 | 429 | 401;

interface Keyed {
  body: string;
  response?: [status: number, body: Json];
}

/** A test server that behaves like Stripe's API for the requests of `StripeProcessor` (docs.stripe.com/api). */
export class StripeServer {
  readonly intents: Json[] = [];
  readonly refunds: Json[] = [];
  readonly customers: Json[] = [];
  readonly methods: Json[] = [];
  readonly disputes: Json[] = [];
  readonly requests: { method: string; path: string; key: string | undefined; body: Json }[] = [];
  /** Time for which a request is processed, so that requests can overlap. */
  delayMs = 0;
  #faults: { path: string; fault: StripeFault }[] = [];
  readonly #keys = new Map<string, Keyed>();
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<StripeServer> {
    const stripe = new StripeServer();
    await new Promise<void>((resolve) => stripe.#server.listen(0, '127.0.0.1', resolve));
    return stripe;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Simulates a fault of the next request whose method and path begin with `path`, such as `POST /v1/refunds`. */
  fail(path: string, fault: StripeFault): void {
    this.#faults.push({ path, fault });
  }

  /** Forgets all idempotency keys, as Stripe does after 24 hours. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  /** Completes a processing payment. */
  settle(paymentId: string, status: 'succeeded' | 'requires_payment_method'): void {
    const intent = this.intents.find(({ metadata }) => metadata.payment_id === paymentId);
    intent.status = status;
    if (status !== 'succeeded') intent.last_payment_error = { code: 'payment_method_provider_decline', type: 'card_error' };
  }

  /** Returns the PaymentIntent of a payment. */
  intentOf(paymentId: string): Json {
    return this.intents.find(({ metadata }) => metadata.payment_id === paymentId);
  }

  /** Refunds a charge in the dashboard, so that the refund has no metadata. The amount is in cents. */
  refundInDashboard(paymentId: string, amount: number): Json {
    const { id, currency } = this.intentOf(paymentId);
    return added(this.refunds, 're', { payment_intent: id, amount, currency, metadata: {}, status: 'succeeded' });
  }

  /** Opens a dispute about a charge, or changes its status. */
  dispute(paymentId: string, status: string): Json {
    const { id, amount, currency } = this.intentOf(paymentId);
    const known = this.disputes.find(({ payment_intent }) => payment_intent === id);
    if (known) return Object.assign(known, { status });
    return added(this.disputes, 'du', { payment_intent: id, amount, currency, reason: 'fraudulent', status });
  }

  /** Sends an event to the webhook of the platform, with the present state of the object. Returns the status of the response. */
  async notify(origin: string, type: string, object: Json, { secret = STRIPE_WEBHOOK_SECRET, age = 0 } = {}): Promise<number> {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const timestamp = Math.floor(Date.now() / 1000) - age;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const { status } = await fetch(`${origin}/v1/billing/processors/stripe/notifications`, { method: 'POST', headers, body: payload });
    return status;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, this.url);
    const key = request.headers['idempotency-key']?.toString();
    const body = method === 'GET' ? nested(searchParams) : nested(new URLSearchParams(text));
    this.requests.push({ method, path: pathname, key, body });
    const fault = this.#takeFault(`${method} ${pathname}`);
    if (fault === 'drop') return;
    const [status, json] = await this.#respond({ method, pathname, key, text, body, fault, authorization: request.headers.authorization });
    if (fault === 'hang') return;
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' }).end(JSON.stringify(json));
  }

  #takeFault(request: string): StripeFault | undefined {
    const index = this.#faults.findIndex(({ path }) => request.startsWith(path));
    return index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
  }

  /** Responds to a request. A repeated idempotency key gets the response of its first request, even if it was a 500. */
  async #respond({ method, pathname, key, text, body, fault, authorization }: Json): Promise<[number, Json]> {
    if (fault === 401 || authorization !== `Bearer ${STRIPE_KEY}`) return failure(401, 'invalid_request_error', 'Invalid API Key provided');
    if (fault === 429) return failure(429, 'invalid_request_error', 'Too many requests', { code: 'rate_limit' });
    const known = key && this.#keys.get(key);
    if (known && known.body !== `${pathname} ${text}`)
      return failure(400, 'idempotency_error', 'Keys can only be used with the same parameters');
    if (known && !known.response) return failure(409, 'idempotency_error', 'Another request', { code: 'idempotency_key_in_use' });
    if (known) return known.response;
    const entry: Keyed = { body: `${pathname} ${text}` };
    if (key) this.#keys.set(key, entry);
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const answer = fault === 500 ? failure(500, 'api_error', 'An error occurred') : this.#route(method, pathname, body);
    // the stored response does not change with the object
    entry.response = structuredClone(answer);
    return entry.response;
  }

  #route(method: string, pathname: string, body: Json): [number, Json] {
    const [, , resource = '', id, action] = pathname.split('/');
    if (method === 'GET') {
      if (!id) return [200, this.#list(resource, body)];
      const found = this.#all(resource).find((one) => one.id === id);
      return found ? [200, found] : missing(resource);
    }
    if (resource === 'customers') return [200, added(this.customers, 'cus', { metadata: body.metadata })];
    if (resource === 'payment_methods' && action === 'detach') return this.#detach(id);
    if (resource === 'payment_methods') return action === 'attach' ? this.#attach(id, body) : this.#createMethod(body);
    return resource === 'refunds' ? this.#refund(body) : this.#charge(body);
  }

  #all(resource: string): Json[] {
    return { payment_intents: this.intents, refunds: this.refunds, payment_methods: this.methods }[resource] ?? [];
  }

  /** Returns a list, newest first, in pages of at most two, so that clients have to read several pages. */
  #list(resource: string, { customer, payment_intent, created, starting_after }: Json): Json {
    const matching = this.#all(resource).filter(
      (one) =>
        (!customer || one.customer === customer) &&
        (!payment_intent || one.payment_intent === payment_intent) &&
        one.created >= Number(created?.gte ?? 0),
    );
    const newest = matching.reverse();
    const begin = starting_after ? newest.findIndex(({ id }) => id === starting_after) + 1 : 0;
    return { object: 'list', url: `/v1/${resource}`, data: newest.slice(begin, begin + 2), has_more: newest.length > begin + 2 };
  }

  #createMethod({ type, card }: Json): [number, Json] {
    const known = CARDS[card?.token];
    if (!known) return missing('token', `No such token: '${card?.token}'`);
    const { brand, last4 } = known;
    const details = { brand, last4, exp_month: 12, exp_year: 2034, fingerprint: `print of ${card.token}` };
    return [200, added(this.methods, 'pm', { type, token: card.token, customer: null, card: details })];
  }

  #attach(id: string | undefined, { customer }: Json): [number, Json] {
    const method = this.methods.find((one) => one.id === id);
    if (!method || !this.customers.some((one) => one.id === customer)) return missing('payment_method');
    if (method.customer) return failure(400, 'invalid_request_error', 'The payment method has already been attached to a customer.');
    const decline = CARDS[method.token]?.attach;
    if (decline) return declined(decline);
    method.customer = customer;
    return [200, method];
  }

  #detach(id: string | undefined): [number, Json] {
    const method = this.methods.find((one) => one.id === id);
    if (!method?.customer) return failure(400, 'invalid_request_error', 'The payment method is not attached to a customer.');
    method.customer = null;
    return [200, method];
  }

  #charge({ amount: text, currency, customer, payment_method, metadata, confirm, off_session }: Json): [number, Json] {
    const amount = Number(text);
    const method = this.methods.find((one) => one.id === payment_method && one.customer === customer);
    if (!method) return missing('payment_method');
    if (confirm !== 'true' || off_session !== 'true') return failure(400, 'invalid_request_error', 'Unexpected parameters');
    if (!Number.isInteger(amount) || amount % (MULTIPLES[currency] ?? 1) !== 0)
      return failure(400, 'invalid_request_error', 'Invalid amount', { code: 'invalid_charge_amount_no_decimal_compatible' });
    if (amount < LEAST_AMOUNT) return failure(400, 'invalid_request_error', 'Too small', { code: 'amount_too_small' });
    const card = CARDS[method.token];
    const status = card?.charge ? 'requires_payment_method' : card?.isSlow ? 'processing' : 'succeeded';
    const error = card?.charge ? errorOf(card.charge) : null;
    const intent = added(this.intents, 'pi', { amount, currency, customer, payment_method, metadata, status, last_payment_error: error });
    return card?.charge ? declined(card.charge, intent) : [200, intent];
  }

  #refund({ payment_intent, amount: text, metadata }: Json): [number, Json] {
    const intent = this.intents.find(({ id }) => id === payment_intent);
    if (!intent) return missing('payment_intent');
    const amount = Number(text);
    const earlier = this.refunds.filter((one) => one.payment_intent === payment_intent && one.status === 'succeeded');
    const rest = intent.amount - earlier.reduce((sum, one) => sum + one.amount, 0);
    if (intent.status !== 'succeeded' || amount > rest)
      return failure(400, 'invalid_request_error', 'Refund amount is greater than charge amount');
    const reason = CARDS[this.methods.find(({ id }) => id === intent.payment_method).token]?.refund;
    const outcome = reason ? { status: 'failed', failure_reason: reason } : { status: 'succeeded' };
    return [200, added(this.refunds, 're', { payment_intent, amount, currency: intent.currency, metadata, ...outcome })];
  }
}

const OBJECTS: Record<string, string> = { cus: 'customer', pm: 'payment_method', pi: 'payment_intent', re: 'refund', du: 'dispute' };

function added(list: Json[], prefix: string, fields: Json): Json {
  const created = Math.floor(Date.now() / 1000);
  const one = { id: `${prefix}_${list.length + 1}`, object: OBJECTS[prefix], created, metadata: {}, ...fields };
  list.push(one);
  return one;
}

const failure = (status: number, type: string, message: string, more: Json = {}): [number, Json] => [
  status,
  { error: { type, message, ...more } },
];
const missing = (param: string, message = `No such ${param}`): [number, Json] =>
  failure(404, 'invalid_request_error', message, { code: 'resource_missing', param });

const errorOf = (reason: string): Json => (reason === 'expired_card' ? { code: reason } : { code: 'card_declined', decline_code: reason });
const declined = (reason: string, intent?: Json): [number, Json] =>
  failure(402, 'card_error', 'Your card was declined.', { ...errorOf(reason), ...(intent && { payment_intent: intent }) });

/** Parses parameters such as `metadata[payment_id]=pay_1`. */
function nested(parameters: URLSearchParams): Json {
  const result: Json = {};
  for (const [name, value] of parameters) {
    const [, outer = name, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (inner === undefined) result[outer] = value;
    else result[outer] = { ...result[outer], [inner]: value };
  }
  return result;
}
