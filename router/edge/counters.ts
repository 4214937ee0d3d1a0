/** A charge to one window. An `amount` of 0 only reads; a negative one refunds. */
export interface WindowCharge {
  readonly key: string;
  readonly amount: number;
  readonly limit: number;
  readonly windowMs: number;
  /** True if the limit applies to any interval of this length. Otherwise the window starts with its first charge and ends as a whole. */
  readonly isSliding?: boolean;
  /** True if exceeding this window suspends the payer (specification 8.3). Hard windows are checked before others. */
  readonly isHard?: boolean;
  /** True if requests that another window refuses are counted here too. */
  readonly countsRefused?: boolean;
}

export interface WindowCount {
  readonly used: number;
  /**
   * When the window ends, in milliseconds since the epoch. For a sliding window, when the refused amount fits, or when the oldest charge
   * expires.
   */
  readonly resetAt: number;
}

/** A claim for a concurrency slot of an organization. A slot serves one request at a time. */
export interface SlotClaim {
  readonly key: string;
  /** Total number of slots. */
  readonly limit: number;
  /** The lowest rank is served first. */
  readonly rank: number;
  /** True for the first waiter of this process. It keeps its place before later waiters, including those of other processes. */
  readonly isWaiting: boolean;
}

/** What one request charges. */
export interface Charge {
  readonly windows: readonly WindowCharge[];
  /** Key of the payer's suspension, and how long it lasts if a hard window is exceeded. */
  readonly suspension?: { readonly key: string; readonly forMs: number } | undefined;
  /** Taken if one is free and nothing is refused. */
  readonly slot?: SlotClaim | undefined;
}

/** The provider of a slot, which takes it back. */
export interface SlotHolder {
  release(key: string): void;
}

export interface Charged {
  /** One per requested window, in the same order. */
  readonly counts: readonly WindowCount[];
  /** Index of the first exceeded window. Then nothing was counted, except in windows with `countsRefused`. */
  readonly refused: number | undefined;
  /** End of the payer's suspension, in milliseconds since the epoch. Nothing is counted for a suspended payer. */
  readonly suspendedUntil: number | undefined;
  /** Set if a slot was requested and free. */
  readonly slot: SlotHolder | undefined;
  /** Slots in use, if one was requested. */
  readonly slotsUsed: number;
}

/** Store of usage counters. A charge is atomic: it fits into all of its windows or is refused. */
export interface Counters {
  charge(charge: Charge, nowMs: number): Charged | Promise<Charged>;
}

export const paysFor = (windows: readonly WindowCharge[]): boolean => windows.some(({ amount }) => amount > 0);

export const overflows = ({ amount, limit }: WindowCharge, used: number): boolean => amount > 0 && used + amount > limit;
