/**
 * What was counted in one window of time. All of it is reckoned by the platform's clock, which may be set back: what seems to lie in
 * the future is taken to be of now, so that nothing counts for longer than the length of its window from then on. What has left
 * the window does not come back either.
 */
export interface Window {
  /** What counts at a point in time. */
  used(nowMs: number): number;
  /** Negative amounts give back. */
  add(amount: number, nowMs: number): void;
  /** When this amount fits; for what fits already, when the window has room again that it lacks now. In milliseconds since the epoch. */
  freeAt(amount: number, limit: number, nowMs: number): number;
}

/** Begins with its first charge and ends a fixed time later, with all that was counted in it. */
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
    // all of it was given back: the window has not begun
    if (this.#used === 0) this.#resetAt = 0;
  }

  freeAt(_amount: number, _limit: number, nowMs: number): number {
    return this.#resetAt > nowMs ? this.#resetAt : nowMs + this.lengthMs;
  }
}

/** Into how many steps a sliding window is divided: that many numbers are kept of it, however much is counted. */
export const STEPS = 60;

interface Step {
  readonly first: number;
  last: number;
  amount: number;
}

/**
 * Moves with the time, so that a limit holds in any interval of its length. Charges of one step, a sixtieth of it, count until
 * the last of them leaves: never too little, and up to a step too long.
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

  /** The newest first: what is given back was counted a moment ago. */
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
