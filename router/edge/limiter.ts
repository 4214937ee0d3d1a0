import { PLANS } from '../../kernel/access/plans.ts';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { type Charged, type Counters, paysFor, type WindowCharge, type WindowCount } from './counters.ts';
import { CATEGORY_LIMITS, categoryLimit, HOUR_MS, type KeyLimits, MINUTE_MS, type RateLimit, SUSPENSION_MS } from './plans.ts';
import { KeySuspended, RateLimitExceeded, type WindowName } from './rate-limit.errors.ts';
import { type Slot, Slots } from './slots.ts';

/** Who pays: an organization, with the narrower limits of the key it used, or an address that has shown no valid credentials. */
export type Payer = Holder | { address: string };
export interface Holder {
  principal: Principal;
  keyLimits?: KeyLimits | undefined;
}

/** What is paid for: weight against hour and burst (8.4), and operations of categories that have an hourly limit of their own. */
export interface Cost {
  weight: number;
  categories?: Partial<Record<RateCategory, number>>;
  /** How many requests of the month it is (8.1). Default 1, for a weight of 0 none. */
  requests?: number;
}

/** One window as callers see it. `limit` and `remaining` may be `Infinity`. */
export interface WindowState {
  limit: number;
  used: number;
  remaining: number;
  resetAt: Date;
}

/** What the headers of 8.2 say: of the organization's windows and its key's, the ones with less left. */
export interface RateState {
  hour: WindowState;
  burst: WindowState;
  /** When this was so. */
  at: Date;
  /** Seconds until the request may be repeated; 0 when it was not refused. */
  retryAfter: number;
}

/** What a holder has used of everything that is limited. */
export interface LiveUsage extends Omit<RateState, 'retryAfter'> {
  categories: Readonly<Record<RateCategory, WindowState>>;
  /** `limit` may be `Infinity`. */
  concurrency: { used: number; limit: number; waiting: number };
  suspendedUntil: Date | null;
}

/** What is told of each holder's requests, to whoever bills and reviews. Called on the hot path: it must not throw. */
export interface UsageObserver {
  /** Negative for what is given back. */
  counted(principal: Principal, usage: { requests: number; weight: number }, at: Date): void;
  /** Exceeding the burst has suspended the holder's credentials. */
  suspended(principal: Principal, until: Date): void;
}

export interface RateLimiterParts {
  counters: Counters;
  clock: Clock;
  metrics: Metrics;
  /** What an address without valid credentials may ask. */
  anonymous: RateLimit;
  /** How long a request waits for a slot. */
  slotWaitMs: number;
  usage?: UsageObserver | undefined;
}

/** How many requests of the month a cost is. */
export const requestsOf = ({ weight, requests = weight === 0 ? 0 : 1 }: Cost): number => requests;

type NamedWindow = WindowCharge & { name: WindowName };

const NO_CATEGORIES = Object.fromEntries(Object.keys(CATEGORY_LIMITS).map((name) => [name, 0])) as Record<RateCategory, number>;

/** Counts what callers use against their plan (specification 8). */
export class RateLimiter {
  readonly #slots: Slots;

  constructor(private readonly parts: RateLimiterParts) {
    this.#slots = new Slots({ counters: parts.counters, clock: parts.clock, waitMs: parts.slotWaitMs });
  }

  /** A slot for one request; undefined for who needs none: an address, and a plan that has no limit. */
  slotFor(payer: Payer): Slot | undefined {
    if ('address' in payer) return undefined;
    const { concurrent } = PLANS[payer.principal.plan];
    return Number.isFinite(concurrent) ? this.#slots.slot(slotsKey(payer.principal), concurrent) : undefined;
  }

  /**
   * Counts, and takes the slot where one is free; the caller waits for it otherwise.
   * @throws RateLimitExceeded, KeySuspended; then nothing was counted and no slot taken.
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

  /** Waits for a slot that the charge did not get. @throws RateLimitExceeded after the longest wait; what it cost is given back. */
  async wait(holder: Holder, cost: Cost, slot: Slot, priority: Priority): Promise<void> {
    if (await slot.wait(priority)) return;
    const state = await this.giveBack(holder, cost);
    this.parts.metrics.rateLimitRefusals.inc({ window: 'concurrency' });
    const full = { limit: slot.limit, used: slot.limit, remaining: 0, resetAt: new Date(state.at.getTime() + 1000) };
    throw new RateLimitExceeded('concurrency', full, { ...state, retryAfter: 1 });
  }

  /** Takes back what was counted; a window that has ended meanwhile stays as it is. */
  giveBack(holder: Holder, cost: Cost): Promise<RateState> {
    return this.charge(holder, givenBack(cost));
  }

  /** Whether an address has something left. Counts nothing. @throws RateLimitExceeded */
  async check(payer: Payer): Promise<void> {
    const now = this.parts.clock.now();
    const windows = this.#windows(payer, { weight: 0 });
    const charged = await this.parts.counters.charge({ windows }, now.getTime());
    const full = charged.counts.findIndex(({ used }, index) => used >= (windows[index]?.limit ?? 0));
    if (full >= 0) throw this.#refusal(payer, windows, { ...charged, refused: full }, stateOf(windows, charged.counts, now));
  }

  /** For what is free of charge and yet not for who is suspended: the opening of a socket. @throws KeySuspended */
  async checkSuspension(holder: Holder): Promise<void> {
    const { suspendedUntil, ...state } = await this.usage(holder);
    if (suspendedUntil) throw this.#suspended(suspendedUntil.getTime(), { ...state, retryAfter: 0 });
  }

  /** What a holder has used in its current windows (8.6), at no cost. */
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
    // whoever is suspended may come back when that ends, not when the window does
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

/** The braces keep what one charge touches in one slot of a Redis cluster. */
const prefixOf = ({ organizationId }: Principal): string => `rate:{${organizationId}}`;
const slotsKey = (principal: Principal): string => `${prefixOf(principal)}:slots`;

/** Of the credentials, not of the organization: its other keys go on. An address is throttled only. */
const suspensionOf = (payer: Payer) =>
  'address' in payer ? undefined : { key: `${prefixOf(payer.principal)}:${payer.principal.id}:suspended`, forMs: SUSPENSION_MS };

const secondsBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1000));

/** The same amounts, to be given back. */
export const givenBack = (cost: Cost): Cost => ({
  weight: -cost.weight,
  requests: -requestsOf(cost),
  categories: Object.fromEntries(Object.entries(cost.categories ?? {}).map(([name, amount]) => [name, -amount])),
});

const pair = (prefix: string, amount: number, { perHour, burst }: RateLimit): NamedWindow[] => [
  { name: 'hour', key: `${prefix}:hour`, amount, limit: perHour, windowMs: HOUR_MS },
  burstWindow(prefix, amount, burst),
];

/** The hour follows from the minute; it is there for the headers. The burst counts every request, those too that the minute refuses. */
const keyWindows = (prefix: string, amount: number, { perMinute, burst }: KeyLimits): NamedWindow[] => [
  ...(perMinute === undefined
    ? []
    : ([
        { name: 'hour', key: `${prefix}:hour`, amount, limit: perMinute * 60, windowMs: HOUR_MS },
        { name: 'minute', key: `${prefix}:minute`, amount, limit: perMinute, windowMs: MINUTE_MS, isSliding: true },
      ] as const)),
  ...(burst === undefined ? [] : [{ ...burstWindow(prefix, amount, burst), countsRefused: true }]),
];

/** What could never fit, such as an operation with more root fields than a burst allows, is refused and no violation: it is not repeated. */
const burstWindow = (prefix: string, amount: number, limit: number): NamedWindow => ({
  name: 'burst',
  // not `:burst`, where earlier releases kept a hash
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

/** The window of these names with the least left; there is always one. */
function tightest(names: readonly WindowName[], windows: readonly NamedWindow[], counts: readonly WindowCount[]): WindowState {
  let found: WindowState | undefined;
  for (const [index, window] of windows.entries()) {
    if (!names.includes(window.name)) continue;
    const state = windowState(window, counts[index]);
    if (!found || state.remaining < found.remaining) found = state;
  }
  return found as WindowState;
}
