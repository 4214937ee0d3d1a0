import { PLANS } from '../../kernel/access/plans.ts';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { type Charged, type Counters, paysFor, type WindowCharge, type WindowCount } from './counters.ts';
import { CATEGORY_LIMITS, categoryLimit, HOUR_MS, type KeyLimits, MINUTE_MS, type RateLimit, SUSPENSION_MS } from './plans.ts';
import { KeySuspended, RateLimitExceeded, type WindowName } from './rate-limit.errors.ts';
import { type Slot, Slots } from './slots.ts';

/** The payer of a request: an organization, with the limits of the key that was used, or an address without valid credentials. */
export type Payer = Holder | { address: string };
export interface Holder {
  principal: Principal;
  keyLimits?: KeyLimits | undefined;
}

/** The cost of a request: weight for hour and burst (8.4), and operations per category with an hourly limit. */
export interface Cost {
  weight: number;
  categories?: Partial<Record<RateCategory, number>>;
  /** Number of requests in the monthly usage (8.1). Default: 1, or 0 for a weight of 0. */
  requests?: number;
}

/** The state of one window as callers see it. `limit` and `remaining` may be `Infinity`. */
export interface WindowState {
  limit: number;
  used: number;
  remaining: number;
  resetAt: Date;
}

/** The values of the headers of 8.2. Of the organization's windows and the key's, those with less remaining. */
export interface RateState {
  hour: WindowState;
  burst: WindowState;
  /** The time of these values. */
  at: Date;
  /** Seconds until a retry is allowed; 0 if the request was not refused. */
  retryAfter: number;
}

/** A holder's current usage of all limits. */
export interface LiveUsage extends Omit<RateState, 'retryAfter'> {
  categories: Readonly<Record<RateCategory, WindowState>>;
  /** `limit` may be `Infinity`. */
  concurrency: { used: number; limit: number; waiting: number };
  suspendedUntil: Date | null;
}

/** Receives the usage of each holder, for billing and review. Called on the hot path, so it must not throw. */
export interface UsageObserver {
  /** Negative values are refunds. */
  counted(principal: Principal, usage: { requests: number; weight: number }, at: Date): void;
  /** The holder's credentials were suspended for exceeding the burst limit. */
  suspended(principal: Principal, until: Date): void;
}

export interface RateLimiterParts {
  counters: Counters;
  clock: Clock;
  metrics: Metrics;
  /** Rate limit of an address without valid credentials. */
  anonymous: RateLimit;
  /** Maximum wait for a concurrency slot, in milliseconds. */
  slotWaitMs: number;
  usage?: UsageObserver | undefined;
}

/** Number of requests in the monthly usage that a cost stands for. */
export const requestsOf = ({ weight, requests = weight === 0 ? 0 : 1 }: Cost): number => requests;

type NamedWindow = WindowCharge & { name: WindowName };

const NO_CATEGORIES = Object.fromEntries(Object.keys(CATEGORY_LIMITS).map((name) => [name, 0])) as Record<RateCategory, number>;

/** Enforces the limits of plans and keys (specification 8). */
export class RateLimiter {
  readonly #slots: Slots;

  constructor(private readonly parts: RateLimiterParts) {
    this.#slots = new Slots({ counters: parts.counters, clock: parts.clock, waitMs: parts.slotWaitMs });
  }

  /** Returns a slot for one request; undefined for payers without a limit: addresses, and plans without one. */
  slotFor(payer: Payer): Slot | undefined {
    if ('address' in payer) return undefined;
    const { concurrent } = PLANS[payer.principal.plan];
    return Number.isFinite(concurrent) ? this.#slots.slot(slotsKey(payer.principal), concurrent) : undefined;
  }

  /**
   * Charges the cost, and takes the slot if one is free; otherwise the caller must wait for it.
   * @throws RateLimitExceeded, KeySuspended; then nothing is counted and no slot is taken
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
   * Waits for a slot that was not free.
   * @throws RateLimitExceeded after the maximum wait; then the cost is refunded
   */
  async wait(holder: Holder, cost: Cost, slot: Slot, priority: Priority): Promise<void> {
    if (await slot.wait(priority)) return;
    const state = await this.giveBack(holder, cost);
    this.parts.metrics.rateLimitRefusals.inc({ window: 'concurrency' });
    const full = { limit: slot.limit, used: slot.limit, remaining: 0, resetAt: new Date(state.at.getTime() + 1000) };
    throw new RateLimitExceeded('concurrency', full, { ...state, retryAfter: 1 });
  }

  /** Refunds a cost. A window that has ended meanwhile is not changed. */
  giveBack(holder: Holder, cost: Cost): Promise<RateState> {
    return this.charge(holder, givenBack(cost));
  }

  /**
   * Checks that an address is within its limit, without counting.
   * @throws RateLimitExceeded
   */
  async check(payer: Payer): Promise<void> {
    const now = this.parts.clock.now();
    const windows = this.#windows(payer, { weight: 0 });
    const charged = await this.parts.counters.charge({ windows }, now.getTime());
    const full = charged.counts.findIndex(({ used }, index) => used >= (windows[index]?.limit ?? 0));
    if (full >= 0) throw this.#refusal(payer, windows, { ...charged, refused: full }, stateOf(windows, charged.counts, now));
  }

  /**
   * Checks for a suspension where nothing is charged: the opening of a socket.
   * @throws KeySuspended
   */
  async checkSuspension(holder: Holder): Promise<void> {
    const { suspendedUntil, ...state } = await this.usage(holder);
    if (suspendedUntil) throw this.#suspended(suspendedUntil.getTime(), { ...state, retryAfter: 0 });
  }

  /** Returns a holder's usage in its current windows (8.6), without charge. */
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
    // a suspended holder must wait for the end of the suspension, not of the window
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

/** The braces make Redis Cluster store all keys of one charge in the same hash slot. */
const prefixOf = ({ organizationId }: Principal): string => `rate:{${organizationId}}`;
const slotsKey = (principal: Principal): string => `${prefixOf(principal)}:slots`;

/** Suspends the credentials, not the organization, so its other keys continue to work. An address is only throttled. */
const suspensionOf = (payer: Payer) =>
  'address' in payer ? undefined : { key: `${prefixOf(payer.principal)}:${payer.principal.id}:suspended`, forMs: SUSPENSION_MS };

const secondsBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1000));

/** The negative cost, for a refund. */
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
 * Windows of a key. The hour is derived from the minute, for the headers. The burst window counts every request, including those that the
 * minute window refuses.
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

/** A cost that can never fit, such as an operation with more root fields than the burst allows, is refused but does not suspend. */
const burstWindow = (prefix: string, amount: number, limit: number): NamedWindow => ({
  name: 'burst',
  // not `:burst`, where earlier releases stored a hash
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

/** Returns the window with the least remaining among these names. At least one exists. */
function tightest(names: readonly WindowName[], windows: readonly NamedWindow[], counts: readonly WindowCount[]): WindowState {
  let found: WindowState | undefined;
  for (const [index, window] of windows.entries()) {
    if (!names.includes(window.name)) continue;
    const state = windowState(window, counts[index]);
    if (!found || state.remaining < found.remaining) found = state;
  }
  return found as WindowState;
}
