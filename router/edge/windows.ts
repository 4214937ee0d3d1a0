/**
 * The amount counted in one time window. All times are from the platform's clock.
 * If the clock is set back, a charge whose time is now in the future is treated as a charge of the current time, so that
 * it does not count for longer than a new charge. An amount that has expired does not count again.
 */
export interface Window {
  /** Returns the amount that counts at the time `nowMs`. */
  used(nowMs: number): number;
  /** Adds an amount. A negative amount is a refund. */
  add(amount: number, nowMs: number): void;
  /**
   * Returns the time at which `amount` fits into the limit, in milliseconds since the epoch. If it fits now, returns
   * the time at which the oldest amount expires.
   */
  freeAt(amount: number, limit: number, nowMs: number): number;
}

/** A rate limit window that starts when its first request is counted. After a fixed time, the whole count expires. */
export class FixedWindow implements Window {
  #used = 0;
  #resetAt = 0;

  constructor(private readonly lengthMs: number) {}

  used(nowMs: number): number {
    this.#resetAt = Math.min(this.#resetAt, nowMs + this.lengthMs);
    if (this.#resetAt <= nowMs) this.#used = this.#resetAt = 0;
    return this.#used;
  }

  add(amount: number, nowMs: number): void {
    const used = this.used(nowMs);
    if (this.#resetAt === 0) this.#resetAt = nowMs + this.lengthMs;
    this.#used = used + amount;
    // after a refund of everything, the window starts with its next charge
    if (this.#used === 0) this.#resetAt = 0;
  }

  freeAt(_amount: number, _limit: number, nowMs: number): number {
    return this.#resetAt > nowMs ? this.#resetAt : nowMs + this.lengthMs;
  }
}

/**
 * Number of steps of a sliding window. Charges are combined into steps, so that memory does not depend on the number of
 * charges.
 */
export const STEPS = 60;

interface Step {
  readonly first: number;
  last: number;
  amount: number;
}

/**
 * A window that moves with time: the limit applies to every interval of its length.
 * Charges within one step (1/60 of the window) expire together with the last charge of the step. So a charge counts for
 * at least the length of the window, and for at most one step longer.
 */
export class SlidingWindow implements Window {
  #steps: Step[] = [];
  #total = 0;

  constructor(private readonly lengthMs: number) {}

  used(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#total;
  }

  add(amount: number, nowMs: number): void {
    this.#moveTo(nowMs);
    if (amount < 0) this.#giveBack(-amount);
    else this.#append({ first: nowMs, last: nowMs, amount });
  }

  freeAt(amount: number, limit: number, nowMs: number): number {
    let used = this.used(nowMs);
    for (const step of this.#steps) {
      used -= step.amount;
      if (used + amount <= limit) return step.last + this.lengthMs;
    }
    return (this.#steps.at(-1)?.last ?? nowMs) + this.lengthMs;
  }

  #moveTo(nowMs: number): void {
    const { lengthMs } = this;
    const [oldest] = this.#steps;
    if (!oldest || (oldest.last + lengthMs > nowMs && (this.#steps.at(-1)?.last ?? 0) <= nowMs)) return;
    const known = this.#steps;
    this.#steps = [];
    this.#total = 0;
    for (const { first, last, amount } of known)
      if (last + lengthMs > nowMs) this.#append({ first: Math.min(first, nowMs), last: Math.min(last, nowMs), amount });
  }

  #append(step: Step): void {
    this.#total += step.amount;
    const newest = this.#steps.at(-1);
    if (newest && step.first - newest.first < this.lengthMs / STEPS) {
      newest.last = step.last;
      newest.amount += step.amount;
    } else this.#steps.push(step);
  }

  /** Refunds the newest charges first, because a refund usually follows its charge closely. */
  #giveBack(amount: number): void {
    for (let left = amount; left > 0; ) {
      const newest = this.#steps.at(-1);
      if (!newest) return;
      const taken = Math.min(left, newest.amount);
      newest.amount -= taken;
      this.#total -= taken;
      left -= taken;
      if (newest.amount === 0) this.#steps.pop();
    }
  }
}
