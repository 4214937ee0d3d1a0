import {
  type Charge,
  type Charged,
  type Counters,
  paysFor,
  type SlotClaim,
  type SlotHolder,
  type WindowCharge,
  type WindowCount,
} from './counters.ts';

const SWEEP_EVERY_MS = 60_000;

/** Counters of this process. */
export class MemoryCounters implements Counters, SlotHolder {
  readonly #windows = new Map<string, { used: number; resetAt: number }>();
  readonly #suspensions = new Map<string, number>();
  readonly #slots = new Map<string, number>();
  #nextSweep = 0;

  charge({ windows, suspension, slot }: Charge, nowMs: number): Charged {
    if (nowMs >= this.#nextSweep) this.#sweep(nowMs);
    const counts = windows.map((window) => this.#current(window, nowMs));
    const suspendedUntil = suspension && this.#suspensionOf(suspension.key, nowMs);
    const slotsUsed = slot ? (this.#slots.get(slot.key) ?? 0) : 0;
    if (suspendedUntil !== undefined && paysFor(windows)) return { counts, refused: undefined, suspendedUntil, slot: undefined, slotsUsed };

    const refused = counts.findIndex(({ used }, index) => overflows(windows[index], used));
    if (refused >= 0) {
      const until = suspension && windows[refused]?.isHard ? this.#suspend(suspension, nowMs) : suspendedUntil;
      return { counts, refused, suspendedUntil: until, slot: undefined, slotsUsed };
    }
    const charged = counts.map(({ used, resetAt }, index) => this.#add(windows[index], used, resetAt));
    const taken = slot && this.#take(slot, slotsUsed) ? this : undefined;
    return { counts: charged, refused: undefined, suspendedUntil, slot: taken, slotsUsed: slotsUsed + (taken ? 1 : 0) };
  }

  release(key: string): void {
    const used = this.#slots.get(key) ?? 0;
    if (used > 1) this.#slots.set(key, used - 1);
    else this.#slots.delete(key);
  }

  /** How many windows, suspensions and slots are kept. */
  get size(): number {
    return this.#windows.size + this.#suspensions.size + this.#slots.size;
  }

  #current({ key, windowMs }: WindowCharge, nowMs: number): WindowCount {
    const held = this.#windows.get(key);
    return held && held.resetAt > nowMs ? held : { used: 0, resetAt: nowMs + windowMs };
  }

  #add(window: WindowCharge | undefined, used: number, resetAt: number): WindowCount {
    if (!window?.amount || used + window.amount < 0) return { used, resetAt };
    const count = { used: used + window.amount, resetAt };
    this.#windows.set(window.key, count);
    return count;
  }

  #suspensionOf(key: string, nowMs: number): number | undefined {
    const until = this.#suspensions.get(key);
    return until !== undefined && until > nowMs ? until : undefined;
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
    for (const [key, { resetAt }] of this.#windows) if (resetAt <= nowMs) this.#windows.delete(key);
    for (const [key, until] of this.#suspensions) if (until <= nowMs) this.#suspensions.delete(key);
    this.#nextSweep = nowMs + SWEEP_EVERY_MS;
  }
}

const overflows = (window: WindowCharge | undefined, used: number): boolean =>
  !!window && window.amount > 0 && used + window.amount > window.limit;
