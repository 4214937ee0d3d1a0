import { expect } from 'vitest';
import type { Charge, Charged, WindowCharge } from '../../router/edge/counters.ts';

interface Entry {
  at: number;
  amount: number;
  /** True if a check found that the charge had left its window. If the clock is set back later, the charge may or may not count again. */
  hasLeft?: boolean;
}

/** The fraction of the window length for which a charge may still count after it left a sliding window. */
const TOLERANCE = 1 / 60;

/**
 * A brute-force model of the rate limit counters. It stores every charge and adds up the charges for each check.
 * It fails if a decision of the tested counters contradicts these sums, and otherwise applies the decision.
 */
export class RateModel {
  readonly #entries = new Map<string, Entry[]>();
  readonly #suspendedUntil = new Map<string, number>();

  /**
   * Compares a result of the tested counters with the model.
   * @throws AssertionError if the counters could not have given this result
   */
  check(charge: Charge, nowMs: number, response: Charged): void {
    const { windows, suspension } = charge;
    for (const window of windows) this.#pass(window, nowMs);
    const known = suspension && this.#suspendedUntil.get(suspension.key);
    const until = known !== undefined && known > nowMs ? Math.min(known, nowMs + (suspension?.forMs ?? 0)) : undefined;
    if (suspension) this.#suspendedUntil.set(suspension.key, until ?? 0);

    const pays = windows.some(({ amount }) => amount > 0);
    if (until !== undefined && pays) {
      expect(response).toMatchObject({ refused: undefined, suspendedUntil: until });
    } else {
      this.#checkDecision(windows, nowMs, response);
      if (response.refused === undefined) for (const window of windows) this.#add(window, nowMs);
      this.#checkSuspension(charge, nowMs, response, until);
    }
    // rejected requests are counted only after the decision
    for (const [index, window] of windows.entries()) this.#checkCount(window, nowMs, response, index);
    if (response.refused !== undefined)
      for (const [index, window] of windows.entries())
        if (window.countsRefused && index !== response.refused && !this.#mustRefuse(window, nowMs)) this.#add(window, nowMs);
  }

  /**
   * Prepares the charges of a window for a check at `nowMs`: moves later charges to `nowMs`, marks charges outside the
   * window, and removes charges that cannot count any more.
   */
  #pass(window: WindowCharge, nowMs: number): void {
    const { key, windowMs, isSliding } = window;
    const entries = this.#of(key);
    for (const entry of entries) {
      entry.at = Math.min(entry.at, nowMs);
      entry.hasLeft ||= entry.at <= nowMs - windowMs;
    }
    const [first] = entries;
    const kept = isSliding ? entries.filter(({ at }) => at > nowMs - windowMs * (1 + TOLERANCE)) : first?.hasLeft ? [] : entries;
    this.#entries.set(key, kept);
  }

  #checkDecision(windows: readonly WindowCharge[], nowMs: number, { refused }: Charged): void {
    const must = windows.filter((window) => this.#mustRefuse(window, nowMs));
    if (refused === undefined) {
      expect(must, 'nothing may pass that does not fit').toEqual([]);
      return;
    }
    const window = windows[refused] as WindowCharge;
    expect(window.amount > 0 && this.#used(window, nowMs).most + window.amount > window.limit, 'what fits may not be refused').toBe(true);
    if (must.some(({ isHard }) => isHard)) expect(window.isHard, 'a hard window goes before others').toBe(true);
  }

  #checkSuspension({ windows, suspension }: Charge, nowMs: number, response: Charged, until: number | undefined): void {
    const isViolation = response.refused !== undefined && windows[response.refused]?.isHard && suspension;
    expect(response.suspendedUntil).toBe(isViolation ? nowMs + suspension.forMs : until);
    if (isViolation) this.#suspendedUntil.set(suspension.key, nowMs + suspension.forMs);
  }

  #checkCount(window: WindowCharge, nowMs: number, { counts, refused }: Charged, index: number): void {
    const { used = -1, resetAt = -1 } = counts[index] ?? {};
    const { least, most } = this.#used(window, nowMs);
    expect(used, `at least what counts in ${window.key}`).toBeGreaterThanOrEqual(least);
    expect(used, `at most what counted a step ago in ${window.key}`).toBeLessThanOrEqual(most);
    expect(resetAt, 'a window ends in the future').toBeGreaterThan(nowMs);
    expect(resetAt, 'no window is longer than its length').toBeLessThanOrEqual(nowMs + window.windowMs);
    if (refused === index && window.amount <= window.limit && window.isSliding)
      expect(this.#used(window, resetAt).least + window.amount, 'it fits when it is said to').toBeLessThanOrEqual(window.limit);
  }

  #mustRefuse(window: WindowCharge, nowMs: number): boolean {
    return window.amount > 0 && this.#used(window, nowMs).least + window.amount > window.limit;
  }

  /** The lowest and the highest sum that the counters may report. */
  #used({ key, windowMs, isSliding }: WindowCharge, nowMs: number): { least: number; most: number } {
    const entries = this.#of(key);
    const sumOf = (some: readonly Entry[]) => some.reduce((sum, { amount }) => sum + amount, 0);
    if (!isSliding) return { least: sumOf(entries), most: sumOf(entries) };
    return {
      least: sumOf(entries.filter(({ at, hasLeft }) => at > nowMs - windowMs && !hasLeft)),
      most: sumOf(entries.filter(({ at }) => at > nowMs - windowMs * (1 + TOLERANCE))),
    };
  }

  #add(window: WindowCharge, nowMs: number): void {
    const { key, amount } = window;
    if (amount > 0) this.#of(key).push({ at: nowMs, amount });
    else this.#giveBack(window, nowMs);
  }

  #giveBack(window: WindowCharge, nowMs: number): void {
    const entries = this.#of(window.key);
    let left = -window.amount;
    if (left === 0) return;
    if (this.#used(window, nowMs).least < left) return;
    for (const entry of entries.toReversed()) {
      const taken = Math.min(left, entry.amount);
      entry.amount -= taken;
      left -= taken;
    }
    if (!window.isSliding && this.#used(window, nowMs).least === 0) this.#entries.delete(window.key);
  }

  #of(key: string): Entry[] {
    const entries = this.#entries.get(key) ?? [];
    this.#entries.set(key, entries);
    return entries;
  }
}

/** Returns a generator of pseudo-random integers from 0 to `below` - 1. The same seed gives the same numbers (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
