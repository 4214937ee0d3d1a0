import { Principal } from '../../kernel/access/principal.ts';
import type { Priority } from '../../kernel/http/http.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { networkOf } from '../../kernel/outbound/network.ts';
import type { ClientInfo, RequestContext } from '../../kernel/request.ts';
import { type Cost, givenBack, type Holder, type Payer, type RateLimiter, type RateState, requestsOf } from './limiter.ts';
import type { KeyLimits } from './plans.ts';
import type { Slot } from './slots.ts';

/** The authenticated principal, and the key's own limits if it has some (`keyLimits` in plans.ts). */
export interface Identified {
  principal: Principal;
  keyLimits?: KeyLimits | undefined;
}

/** One caller at the edge: its identity, and the accounting of its request or of each operation on its socket. */
export class Admission implements RequestContext {
  principal: Principal = Principal.nobody;
  /** The state in the rate headers of the response. */
  rates: RateState | undefined;
  readonly #address: Payer;
  #holder: Holder | undefined;
  #log: Logger | undefined;
  #slot: Slot | undefined;
  #hasLeft = false;
  #paid: Cost = { weight: 0, requests: 0 };

  constructor(
    readonly requestId: string,
    readonly client: ClientInfo,
    private readonly limiter: RateLimiter,
    private readonly processLog: Logger,
  ) {
    this.#address = { address: networkOf(client.ip) };
  }

  /** Created on first use, because most requests log nothing. */
  get log(): Logger {
    this.#log ??= this.processLog.child({ request_id: this.requestId });
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
   * Checks the limit of the address before unknown credentials are verified.
   * @throws RateLimitExceeded if the address has used up its limit
   */
  checkAddress(): Promise<void> {
    return this.limiter.check(this.#address);
  }

  /** @throws KeySuspended */
  async checkSuspension(): Promise<void> {
    if (this.#holder) await this.limiter.checkSuspension(this.#holder);
  }

  /**
   * Charges a request.
   * @throws RateLimitExceeded (429), KeySuspended (403); then nothing is counted
   */
  async charge(cost: Cost): Promise<RateState> {
    return this.limiter.charge(this.#holder ?? this.#address, cost);
  }

  /** Like `charge`, for a request that will be executed: takes a concurrency slot of the plan if one is free. `leave` releases it. */
  async chargeServed(cost: Cost, priority: Priority): Promise<RateState> {
    const payer = this.#holder ?? this.#address;
    this.#slot ??= this.limiter.slotFor(payer);
    if (this.#hasLeft) this.#slot?.leave();
    const state = await this.limiter.charge(payer, cost, this.#slot?.isHeld ? undefined : this.#slot, priority);
    this.#paid = sumOf(this.#paid, cost);
    return state;
  }

  /** Refunds category counts of operations that were refused before they had an effect. */
  async giveBack(categories: NonNullable<Cost['categories']>): Promise<void> {
    if (!this.#holder || Object.keys(categories).length === 0) return;
    const cost: Cost = { weight: 0, requests: 0, categories };
    await this.limiter.giveBack(this.#holder, cost);
    this.#paid = sumOf(this.#paid, givenBack(cost));
  }

  /** Refunds all category counts of this request. */
  async giveBackCategories(): Promise<void> {
    const paid = Object.entries(this.#paid.categories ?? {}).filter(([, amount]) => amount > 0);
    if (paid.length > 0) await this.giveBack(Object.fromEntries(paid));
  }

  /**
   * Waits for a concurrency slot if none was free.
   * @throws RateLimitExceeded after the maximum wait; then the charge is refunded
   */
  async enter(priority: Priority): Promise<void> {
    if (!this.#slot || this.#slot.isHeld || !this.#holder) return;
    await this.limiter.wait(this.#holder, this.#paid, this.#slot, priority);
  }

  /** Releases the slot or the place in the queue: the response was sent, or the caller has disconnected. */
  leave(): void {
    this.#hasLeft = true;
    this.#slot?.leave();
  }

  /**
   * Runs an operation of a socket in its own slot, unless the socket closes first.
   * @throws RateLimitExceeded after the maximum wait; then the charge is refunded
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
