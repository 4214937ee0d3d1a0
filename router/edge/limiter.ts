import { type AllowanceName, allowanceOf } from '../../kernel/access/allowances.ts';
import { PLANS } from '../../kernel/access/plans.ts';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { type Charged, type Counters, paysFor, type WindowCharge, type WindowCount } from './counters.ts';
import { CATEGORY_LIMITS, categoryLimit, HOUR_MS, type KeyLimits, MINUTE_MS, type RateLimit, SUSPENSION_MS } from './plans.ts';
import { KeySuspended, RateLimitExceeded, type WindowName } from './rate-limit.errors.ts';
import { type Slot, Slots } from './slots.ts';

/** The payer of a request: the holder of credentials, or the address of a request without valid credentials. */
export type Payer = Holder | { address: string };
export interface Holder {
  principal: Principal;
  keyLimits?: KeyLimits | undefined;
}

/**
 * The cost of a request: its weight in the hourly and burst limits (specification 8.4), and its number of operations in
 * each category.
 */
export interface Cost {
  weight: number;
  categories?: Partial<Record<RateCategory, number>>;
  /**
   * Number of requests that are counted in the monthly usage (specification 8.1). Default: 1. If `weight` is 0, the
   * default is 0.
   */
  requests?: number;
}

/** The state of one time window, as it is reported to callers. `limit` and `remaining` may be `Infinity`. */
export interface WindowState {
  limit: number;
  used: number;
  remaining: number;
  resetAt: Date;
}

/**
 * The values of the rate limit headers (specification 8.2). If both the organization and its key have a window, the
 * window with the smaller `remaining` is used.
 */
export interface RateState {
  hour: WindowState;
  burst: WindowState;
  /** The time at which the counters were read. */
  at: Date;
  /** Seconds until a retry is allowed. It is 0 if the request was not rejected. */
  retryAfter: number;
}

/** The current usage of all limits by a holder of credentials. */
export interface LiveUsage extends Omit<RateState, 'retryAfter'> {
  categories: Readonly<Record<RateCategory, WindowState>>;
  /** Concurrency slots. `limit` may be `Infinity`. */
  concurrency: { used: number; limit: number; waiting: number };
  suspendedUntil: Date | null;
}

/**
 * Receives the usage of each holder, for billing and review. Its methods are called for every request, so they must be
 * fast and must not throw.
 */
export interface UsageObserver {
  /** Called when usage was counted. Negative values are refunds. */
  counted(principal: Principal, usage: { requests: number; weight: number }, at: Date): void;
  /** Called when the holder's credentials were suspended because they exceeded the burst limit. */
  suspended(principal: Principal, until: Date): void;
}

export interface RateLimiterParts {
  counters: Counters;
  clock: Clock;
  metrics: Metrics;
  /** Rate limit of an address that sends no valid credentials. */
  anonymous: RateLimit;
  /** Maximum wait for a concurrency slot, in milliseconds. */
  slotWaitMs: number;
  usage?: UsageObserver | undefined;
}

/** Returns the number of requests that a cost adds to the monthly usage. */
export const requestsOf = ({ weight, requests = weight === 0 ? 0 : 1 }: Cost): number => requests;

type NamedWindow = WindowCharge & { name: WindowName };

const NO_CATEGORIES = Object.fromEntries(Object.keys(CATEGORY_LIMITS).map((name) => [name, 0])) as Record<RateCategory, number>;

/** Enforces the limits of plans and keys (specification 8). */
export class RateLimiter {
  readonly #slots: Slots;

  constructor(private readonly parts: RateLimiterParts) {
    this.#slots = new Slots({ counters: parts.counters, clock: parts.clock, waitMs: parts.slotWaitMs });
  }

  /**
   * Returns the slot for one request. Returns undefined for payers without a concurrency limit: addresses, and organizations with an
   * unlimited plan.
   */
  slotFor(payer: Payer): Slot | undefined {
    if ('address' in payer) return undefined;
    const { concurrent } = PLANS[payer.principal.plan];
    return Number.isFinite(concurrent) ? this.#slots.slot(slotsKey(payer.principal), concurrent) : undefined;
  }

  /**
   * Charges the cost, and takes the slot if one is free. If no slot is free, call `wait` next.
   * @throws RateLimitExceeded or KeySuspended; nothing is charged and no slot is taken
   */
  async charge(payer: Payer, cost: Cost, slot?: Slot, priority: Priority = 'normal'): Promise<RateState> {
    const windows = this.#windows(payer, cost);
    const now = this.parts.clock.now();
    const charge = { windows, suspension: suspensionOf(payer), slot: slot?.claim(priority) };
    const answer = this.parts.counters.charge(charge, now.getTime());
    const charged = answer instanceof Promise ? await answer : answer;
    slot?.take(charged.slot);
    const state = stateOf(windows, charged.counts, now);
    if (charged.refused !== undefined) throw this.#refusal(payer, windows, charged, state);
    if (charged.suspendedUntil !== undefined && paysFor(windows)) throw this.#suspended(charged.suspendedUntil, state);
    if (!('address' in payer)) this.#count(payer, cost, now);
    return state;
  }

  /**
   * Waits for a slot if none was free when the request was charged.
   * @throws RateLimitExceeded after the maximum wait; the cost is refunded
   */
  async wait(holder: Holder, cost: Cost, slot: Slot, priority: Priority): Promise<void> {
    if (await slot.wait(priority)) return;
    const state = await this.giveBack(holder, cost);
    this.parts.metrics.rateLimitRefusals.inc({ window: 'concurrency' });
    const full = { limit: slot.limit, used: slot.limit, remaining: 0, resetAt: new Date(state.at.getTime() + 1000) };
    throw new RateLimitExceeded('concurrency', full, { ...state, retryAfter: 1 });
  }

  /**
   * Charges an amount to an allowance of the plan, such as the usage events in 60 seconds. It does not count as a request.
   * @throws RateLimitExceeded; nothing is charged
   */
  async chargeAllowance(principal: Principal, name: AllowanceName, amount: number): Promise<void> {
    const key = `${prefixOf(principal)}:${name.replace('_', '-')}`;
    const window = { name, key, amount, limit: allowanceOf(principal.plan, name), windowMs: MINUTE_MS };
    const windows = [...this.#windows({ principal }, { weight: 0 }), { ...window, isSliding: true }];
    const now = this.parts.clock.now();
    const charged = await this.parts.counters.charge({ windows }, now.getTime());
    if (charged.refused !== undefined) throw this.#refusal({ principal }, windows, charged, stateOf(windows, charged.counts, now));
  }

  /** Refunds a cost. If a window has ended since the charge, the refund does not change this window. */
  giveBack(holder: Holder, cost: Cost): Promise<RateState> {
    return this.charge(holder, givenBack(cost));
  }

  /**
   * Checks that an address is within its rate limit, without counting a request.
   * @throws RateLimitExceeded if the address has used up its limit
   */
  async check(payer: Payer): Promise<void> {
    const now = this.parts.clock.now();
    const windows = this.#windows(payer, { weight: 0 });
    const charged = await this.parts.counters.charge({ windows }, now.getTime());
    const full = charged.counts.findIndex(({ used }, index) => used >= (windows[index]?.limit ?? 0));
    if (full >= 0) throw this.#refusal(payer, windows, { ...charged, refused: full }, stateOf(windows, charged.counts, now));
  }

  /**
   * Checks that the credentials are not suspended. Use this method when a socket is opened, because the opening charges
   * nothing.
   * @throws KeySuspended if they are suspended
   */
  async checkSuspension(holder: Holder): Promise<void> {
    const { suspendedUntil, ...state } = await this.usage(holder);
    if (suspendedUntil) throw this.#suspended(suspendedUntil.getTime(), { ...state, retryAfter: 0 });
  }

  /** Returns a holder's usage in its current windows (specification 8.6), without a charge. */
  async usage(holder: Holder): Promise<LiveUsage> {
    const now = this.parts.clock.now();
    const windows = this.#windows(holder, { weight: 0, categories: NO_CATEGORIES });
    const key = slotsKey(holder.principal);
    const look = { key, limit: 0, rank: 0, isWaiting: false };
    const charged = await this.parts.counters.charge({ windows, suspension: suspensionOf(holder), slot: look }, now.getTime());
    const { hour, burst, at } = stateOf(windows, charged.counts, now);
    const states = windows.map((window, index) => [window.name, windowState(window, charged.counts[index])] as const);
    const categories = Object.fromEntries(states.filter(([name]) => name in NO_CATEGORIES));
    return {
      hour,
      burst,
      at,
      categories: categories as Record<RateCategory, WindowState>,
      concurrency: { used: charged.slotsUsed, limit: PLANS[holder.principal.plan].concurrent, waiting: this.#slots.waitingFor(key) },
      suspendedUntil: charged.suspendedUntil === undefined ? null : new Date(charged.suspendedUntil),
    };
  }

  #count({ principal }: Holder, cost: Cost, now: Date): void {
    const requests = requestsOf(cost);
    if (requests !== 0 || cost.weight !== 0) this.parts.usage?.counted(principal, { requests, weight: cost.weight }, now);
  }

  #refusal(payer: Payer, windows: NamedWindow[], { counts, refused = 0, suspendedUntil }: Charged, state: RateState): RateLimitExceeded {
    const window = windows[refused] as NamedWindow;
    const full = windowState(window, counts[refused]);
    this.parts.metrics.rateLimitRefusals.inc({ window: window.name });
    // suspended credentials must wait until the suspension ends, and not only until the window ends
    const resetAt = window.isHard && suspendedUntil !== undefined ? new Date(suspendedUntil) : full.resetAt;
    if (resetAt !== full.resetAt && !('address' in payer)) this.parts.usage?.suspended(payer.principal, resetAt);
    return new RateLimitExceeded(window.name, { ...full, resetAt }, { ...state, retryAfter: secondsBetween(state.at, resetAt) });
  }

  #suspended(until: number, state: RateState): KeySuspended {
    this.parts.metrics.rateLimitRefusals.inc({ window: 'suspension' });
    const end = new Date(until);
    return new KeySuspended(end, { ...state, retryAfter: secondsBetween(state.at, end) });
  }

  #windows(payer: Payer, { weight, categories }: Cost): NamedWindow[] {
    if ('address' in payer) return pair(`rate:{${payer.address}}`, weight, this.parts.anonymous);

    const { principal } = payer;
    const prefix = prefixOf(principal);
    const windows = pair(prefix, weight, PLANS[principal.plan]);
    if (payer.keyLimits) windows.push(...keyWindows(`${prefix}:${principal.id}`, weight, payer.keyLimits));
    for (const [name, amount] of Object.entries(categories ?? {}) as [RateCategory, number][]) {
      windows.push({ name, key: `${prefix}:${name}`, amount, limit: categoryLimit(principal.plan, name), windowMs: HOUR_MS });
    }
    return windows;
  }
}

/**
 * Returns the prefix of an organization's keys in Redis. All keys of one charge must be in the same hash slot of a
 * Redis Cluster, so they have the same text in braces.
 */
const prefixOf = ({ organizationId }: Principal): string => `rate:{${organizationId}}`;
const slotsKey = (principal: Principal): string => `${prefixOf(principal)}:slots`;

/**
 * Returns the key under which a suspension is stored, and its duration. Undefined for an address. Only the credentials
 * are suspended: other keys of the organization continue to work. Addresses are never suspended.
 */
const suspensionOf = (payer: Payer) =>
  'address' in payer ? undefined : { key: `${prefixOf(payer.principal)}:${payer.principal.id}:suspended`, forMs: SUSPENSION_MS };

const secondsBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1000));

/** Returns the negative of a cost, for a refund. */
export const givenBack = (cost: Cost): Cost => ({
  weight: -cost.weight,
  requests: -requestsOf(cost),
  categories: Object.fromEntries(Object.entries(cost.categories ?? {}).map(([name, amount]) => [name, -amount])),
});

const pair = (prefix: string, amount: number, { perHour, burst }: RateLimit): NamedWindow[] => [
  { name: 'hour', key: `${prefix}:hour`, amount, limit: perHour, windowMs: HOUR_MS },
  burstWindow(prefix, amount, burst),
];

/**
 * Returns the windows for the additional limits of a key. The hourly limit is 60 times the limit per minute, and
 * appears in the rate limit headers.
 * The burst window also counts requests that exceed the limit per minute.
 */
const keyWindows = (prefix: string, amount: number, { perMinute, burst }: KeyLimits): NamedWindow[] => [
  ...(perMinute === undefined
    ? []
    : ([
        { name: 'hour', key: `${prefix}:hour`, amount, limit: perMinute * 60, windowMs: HOUR_MS },
        { name: 'minute', key: `${prefix}:minute`, amount, limit: perMinute, windowMs: MINUTE_MS, isSliding: true },
      ] as const)),
  ...(burst === undefined ? [] : [{ ...burstWindow(prefix, amount, burst), countsRefused: true }]),
];

/**
 * Returns the burst window. A cost that is larger than the whole limit is rejected, but does not suspend the payer. An
 * example is an operation with too many root fields.
 */
const burstWindow = (prefix: string, amount: number, limit: number): NamedWindow => ({
  name: 'burst',
  // the key does not end with `:burst`, because earlier releases stored a hash under that key
  key: `${prefix}:any-minute`,
  amount,
  limit,
  windowMs: MINUTE_MS,
  isSliding: true,
  isHard: amount <= limit,
});

function windowState({ limit }: WindowCharge, count: WindowCount | undefined): WindowState {
  const used = count?.used ?? 0;
  return { limit, used, remaining: Math.max(0, limit - used), resetAt: new Date(count?.resetAt ?? 0) };
}

function stateOf(windows: readonly NamedWindow[], counts: readonly WindowCount[], at: Date): RateState {
  return { hour: tightest(['hour'], windows, counts), burst: tightest(['burst', 'minute'], windows, counts), at, retryAfter: 0 };
}

/**
 * Returns the state of the window with the smallest `remaining` among the windows whose name is in `names`. At least
 * one such window must exist.
 */
function tightest(names: readonly WindowName[], windows: readonly NamedWindow[], counts: readonly WindowCount[]): WindowState {
  let found: WindowState | undefined;
  for (const [index, window] of windows.entries()) {
    if (!names.includes(window.name)) continue;
    const state = windowState(window, counts[index]);
    if (!found || state.remaining < found.remaining) found = state;
  }
  return found as WindowState;
}
