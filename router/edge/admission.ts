import { Principal } from '../../kernel/access/principal.ts';
import type { Priority } from '../../kernel/http/http.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { networkOf } from '../../kernel/outbound/network.ts';
import type { ClientInfo, RequestContext } from '../../kernel/request.ts';
import type { Pressure } from '../../kernel/work/pressure.ts';
import { type Cost, givenBack, type Holder, type Payer, type RateLimiter, type RateState, requestsOf } from './limiter.ts';
import type { KeyLimits } from './plans.ts';
import type { Slot } from './slots.ts';

/** An authenticated principal, and the additional rate limits of its key (`keyLimits` in plans.ts). */
export interface Identified {
  principal: Principal;
  keyLimits?: KeyLimits | undefined;
}

/**
 * The admission of one request or of one open connection. It identifies the caller, and charges the caller for the
 * request or for each operation on the connection.
 */
export class Admission implements RequestContext {
  principal: Principal = Principal.nobody;
  /** The values of the rate limit headers in the response. */
  rates: RateState | undefined;
  readonly #address: Payer;
  #holder: Holder | undefined;
  #log: Logger | undefined;
  #slot: Slot | undefined;
  #isCounted = false;
  #hasLeft = false;
  #paid: Cost = { weight: 0, requests: 0 };

  constructor(
    readonly requestId: string,
    readonly client: ClientInfo,
    private readonly limiter: RateLimiter,
    private readonly process: { readonly log: Logger; readonly metrics: { readonly pressure: Pressure } },
  ) {
    this.#address = { address: networkOf(client.ip) };
  }

  /** Logger with the request id. It is created at first use, because most requests log nothing. */
  get log(): Logger {
    this.#log ??= this.process.log.child({ request_id: this.requestId });
    return this.#log;
  }

  get isAnonymous(): boolean {
    return this.principal === Principal.nobody;
  }

  identify(identified: Identified): void {
    this.principal = identified.principal;
    this.#holder = identified;
  }

  /**
   * Checks the rate limit of the client's address. Unknown credentials are verified only after this check.
   * @throws RateLimitExceeded if the address has used up its limit
   */
  checkAddress(): Promise<void> {
    return this.limiter.check(this.#address);
  }

  /**
   * Checks that the credentials are not suspended.
   * @throws KeySuspended if they are suspended
   */
  async checkSuspension(): Promise<void> {
    if (this.#holder) await this.limiter.checkSuspension(this.#holder);
  }

  /**
   * Charges the cost of a request.
   * @throws RateLimitExceeded (429) or KeySuspended (403); nothing is charged
   */
  async charge(cost: Cost): Promise<RateState> {
    return this.limiter.charge(this.#holder ?? this.#address, cost);
  }

  /**
   * Charges the cost of a request that will be executed, and takes a concurrency slot of the plan if one is free.
   * `leave` releases the slot.
   * @throws RateLimitExceeded (429) or KeySuspended (403); nothing is charged
   */
  async chargeServed(cost: Cost, priority: Priority): Promise<RateState> {
    const payer = this.#holder ?? this.#address;
    this.#slot ??= this.limiter.slotFor(payer);
    if (this.#hasLeft) this.#slot?.leave();
    const state = await this.limiter.charge(payer, cost, this.#slot?.isHeld ? undefined : this.#slot, priority);
    this.#paid = sumOf(this.#paid, cost);
    return state;
  }

  /**
   * Refunds the given number of operations in each category. Called for operations that were rejected before they had
   * an effect.
   */
  async giveBack(categories: NonNullable<Cost['categories']>): Promise<void> {
    if (!this.#holder || Object.keys(categories).length === 0) return;
    const cost: Cost = { weight: 0, requests: 0, categories };
    await this.limiter.giveBack(this.#holder, cost);
    this.#paid = sumOf(this.#paid, givenBack(cost));
  }

  /** Refunds the amounts that this request was charged against the rate limits of operation categories. */
  async giveBackCategories(): Promise<void> {
    const paid = Object.entries(this.#paid.categories ?? {}).filter(([, amount]) => amount > 0);
    if (paid.length > 0) await this.giveBack(Object.fromEntries(paid));
  }

  /**
   * Waits for a concurrency slot if none was free when the request was charged.
   * @throws RateLimitExceeded after the maximum wait; the charge is refunded
   */
  async enter(priority: Priority): Promise<void> {
    if (!this.#slot || this.#slot.isHeld || !this.#holder) return;
    await this.limiter.wait(this.#holder, this.#paid, this.#slot, priority);
  }

  /**
   * Releases the slot or the place in the queue. It is called when the response was sent or the caller has
   * disconnected.
   */
  leave(): void {
    this.#hasLeft = true;
    this.#slot?.leave();
    this.countOut();
  }

  /** Counts the request as running, until `countOut` or `leave`. */
  countIn(): void {
    if (this.#hasLeft || this.#isCounted) return;
    this.#isCounted = true;
    this.process.metrics.pressure.requests += 1;
  }

  countOut(): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.process.metrics.pressure.requests -= 1;
  }

  /**
   * Runs an operation of a socket in a concurrency slot. If the socket closes first, the operation does not run.
   * @throws RateLimitExceeded after the maximum wait; the charge is refunded
   */
  async serve<T>({ cost, priority }: { cost: Cost; priority: Priority }, closed: AbortSignal, run: () => Promise<T>): Promise<T> {
    const slot = this.#holder && this.limiter.slotFor(this.#holder);
    if (!slot || !this.#holder) return run();
    const leave = (): void => slot.leave();
    closed.addEventListener('abort', leave);
    if (closed.aborted) leave();
    try {
      await this.limiter.wait(this.#holder, cost, slot, priority);
      return await run();
    } finally {
      closed.removeEventListener('abort', leave);
      leave();
    }
  }
}

function sumOf(one: Cost, other: Cost): Cost {
  const categories = { ...one.categories };
  for (const [name, amount] of Object.entries(other.categories ?? {}) as [keyof typeof categories, number][])
    categories[name] = (categories[name] ?? 0) + amount;
  return { weight: one.weight + other.weight, requests: requestsOf(one) + requestsOf(other), categories };
}
