import {
  type Charge,
  type Charged,
  type Counters,
  overflows,
  paysFor,
  type SlotClaim,
  type SlotHolder,
  type WindowCharge,
} from './counters.ts';
import { FixedWindow, SlidingWindow, type Window } from './windows.ts';

const SWEEP_EVERY_MS = 60_000;

/** Usage counters in the memory of this process. */
export class MemoryCounters implements Counters, SlotHolder {
  readonly #windows = new Map<string, Window>();
  readonly #suspensions = new Map<string, number>();
  readonly #slots = new Map<string, number>();
  #nextSweep = 0;

  charge({ windows, suspension, slot }: Charge, nowMs: number): Charged {
    this.#sweep(nowMs);
    const known = windows.map((window) => this.#windowOf(window));
    const used = known.map((window) => window.used(nowMs));
    const suspendedUntil = suspension && this.#suspensionOf(suspension, nowMs);
    const slotsUsed = slot ? (this.#slots.get(slot.key) ?? 0) : 0;
    const countsOf = (refused?: number) =>
      windows.map(({ amount, limit }, index) => ({
        used: known[index]?.used(nowMs) ?? 0,
        resetAt: known[index]?.freeAt(refused === index ? amount : 0, limit, nowMs) ?? nowMs,
      }));
    if (suspendedUntil !== undefined && paysFor(windows))
      return { counts: countsOf(), refused: undefined, suspendedUntil, slot: undefined, slotsUsed };

    const refused = firstRefused(windows, used);
    if (refused !== undefined) {
      const counts = countsOf(refused);
      windows.forEach((window, index) => {
        if (window.countsRefused && !overflows(window, used[index] ?? 0)) this.#add(window, known[index], nowMs);
      });
      const until = suspension && windows[refused]?.isHard ? this.#suspend(suspension, nowMs) : suspendedUntil;
      return { counts, refused, suspendedUntil: until, slot: undefined, slotsUsed };
    }
    windows.forEach((window, index) => {
      this.#add(window, known[index], nowMs);
    });
    const taken = slot && this.#take(slot, slotsUsed) ? this : undefined;
    return { counts: countsOf(), refused: undefined, suspendedUntil, slot: taken, slotsUsed: slotsUsed + (taken ? 1 : 0) };
  }

  release(key: string): void {
    const used = this.#slots.get(key) ?? 0;
    if (used > 1) this.#slots.set(key, used - 1);
    else this.#slots.delete(key);
  }

  /** Number of stored windows, suspensions and slots. */
  get size(): number {
    return this.#windows.size + this.#suspensions.size + this.#slots.size;
  }

  #windowOf({ key, windowMs, isSliding }: WindowCharge): Window {
    return this.#windows.get(key) ?? (isSliding ? new SlidingWindow(windowMs) : new FixedWindow(windowMs));
  }

  #add({ key, amount }: WindowCharge, window: Window | undefined, nowMs: number): void {
    if (!window || amount === 0 || window.used(nowMs) + amount < 0) return;
    window.add(amount, nowMs);
    this.#windows.set(key, window);
  }

  #suspensionOf({ key, forMs }: NonNullable<Charge['suspension']>, nowMs: number): number | undefined {
    const until = this.#suspensions.get(key);
    if (until === undefined) return undefined;
    if (until <= nowMs) {
      this.#suspensions.delete(key);
      return undefined;
    }
    // if the clock was set back, the suspension must not last longer than `forMs`
    if (until > nowMs + forMs) return this.#suspend({ key, forMs }, nowMs);
    return until;
  }

  #suspend({ key, forMs }: NonNullable<Charge['suspension']>, nowMs: number): number {
    this.#suspensions.set(key, nowMs + forMs);
    return nowMs + forMs;
  }

  #take({ key, limit }: SlotClaim, used: number): boolean {
    if (used >= limit) return false;
    this.#slots.set(key, used + 1);
    return true;
  }

  #sweep(nowMs: number): void {
    if (nowMs < this.#nextSweep && nowMs >= this.#nextSweep - SWEEP_EVERY_MS) return;
    for (const [key, window] of this.#windows) if (window.used(nowMs) === 0) this.#windows.delete(key);
    for (const [key, until] of this.#suspensions) if (until <= nowMs) this.#suspensions.delete(key);
    this.#nextSweep = nowMs + SWEEP_EVERY_MS;
  }
}

/** Returns the index of the first exceeded window. Windows that suspend the payer take precedence over the others. */
function firstRefused(windows: readonly WindowCharge[], used: readonly number[]): number | undefined {
  const refused = windows.flatMap((window, index) => (overflows(window, used[index] ?? 0) ? [index] : []));
  return refused.find((index) => windows[index]?.isHard) ?? refused[0];
}
