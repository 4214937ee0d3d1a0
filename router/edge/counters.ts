/**
 * A charge to one time window of a limit. An `amount` of 0 reads the window without charging. A negative `amount` is a
 * refund.
 */
export interface WindowCharge {
  readonly key: string;
  readonly amount: number;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * True if the limit applies to every interval of the length `windowMs`. Otherwise the window starts with its first
   * charge, and is reset when it ends.
   */
  readonly isSliding?: boolean;
  /**
   * True if the credentials of the request are suspended when the request exceeds the limit of this window (specification
   * 8.3). Windows with this property are checked first.
   */
  readonly isHard?: boolean;
  /** True if this window also counts requests that exceed another window. */
  readonly countsRefused?: boolean;
}

export interface WindowCount {
  readonly used: number;
  /**
   * The end of the window, in milliseconds since the epoch.
   * For a sliding window: if the charge was rejected, the time at which its amount would fit; otherwise, the time at
   * which the oldest charge expires.
   */
  readonly resetAt: number;
}

/** A claim for a concurrency slot of an organization. A slot serves one request at a time. */
export interface SlotClaim {
  readonly key: string;
  /** Number of slots of the organization. */
  readonly limit: number;
  /** Position in the queue. The claim with the lowest rank is served first. */
  readonly rank: number;
  /**
   * True if the request is the first in the queue of its process. If no slot is free, Redis stores the rank of the request, so that no
   * request with a higher rank gets a slot before it, in any process.
   */
  readonly isWaiting: boolean;
}

/** Everything that one request counts against the rate limits. It is counted in one atomic step. */
export interface Charge {
  readonly windows: readonly WindowCharge[];
  /** Key under which a suspension of the payer is stored, and the duration of a suspension. */
  readonly suspension?: { readonly key: string; readonly forMs: number } | undefined;
  /** A slot to take if one is free and no limit is exceeded. */
  readonly slot?: SlotClaim | undefined;
}

/** The store from which a slot was taken, and to which it is returned. */
export interface SlotHolder {
  release(key: string): void;
}

export interface Charged {
  /** The state of each charged window, in the order of `Charge.windows`. */
  readonly counts: readonly WindowCount[];
  /** Index of the first exceeded window. If it is set, nothing was counted, except in windows with `countsRefused`. */
  readonly refused: number | undefined;
  /**
   * End of the payer's suspension, in milliseconds since the epoch. While a payer is suspended, nothing is counted for
   * it.
   */
  readonly suspendedUntil: number | undefined;
  /** The store of the slot that was taken. Undefined if no slot was requested, or if none was free. */
  readonly slot: SlotHolder | undefined;
  /** Number of slots in use. It is 0 if no slot was requested. */
  readonly slotsUsed: number;
}

/** Store of usage counters. A charge is atomic: it is counted in all of its windows, or rejected. */
export interface Counters {
  charge(charge: Charge, nowMs: number): Charged | Promise<Charged>;
}

export const paysFor = (windows: readonly WindowCharge[]): boolean => windows.some(({ amount }) => amount > 0);

export const overflows = ({ amount, limit }: WindowCharge, used: number): boolean => amount > 0 && used + amount > limit;
