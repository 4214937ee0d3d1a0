/** One window to count in. An `amount` of 0 only reads; a negative one gives back what was counted. */
export interface WindowCharge {
  readonly key: string;
  readonly amount: number;
  readonly limit: number;
  readonly windowMs: number;
  /** The limit holds in any interval of this length. Otherwise the window begins with its first charge and ends with all of it. */
  readonly isSliding?: boolean;
  /** To overflow it suspends the payer (specification 8.3). It is looked at before those that only throttle. */
  readonly isHard?: boolean;
  /** What another window refuses is counted in this one all the same. */
  readonly countsRefused?: boolean;
}

export interface WindowCount {
  readonly used: number;
  /** When the window ends, in milliseconds since the epoch; of a sliding one, when what was refused fits or the oldest charge leaves. */
  readonly resetAt: number;
}

/** One of the slots of an organization, each of which serves one request at a time. */
export interface SlotClaim {
  readonly key: string;
  /** How many there are. */
  readonly limit: number;
  /** Who has the lowest is served first. */
  readonly rank: number;
  /** The first of those who wait in this process: it keeps its place before later ones, of other processes too. */
  readonly isWaiting: boolean;
}

/** What one request asks of the counters. */
export interface Charge {
  readonly windows: readonly WindowCharge[];
  /** Under which the payer's suspension stands, and for how long overflowing a hard window suspends it. */
  readonly suspension?: { readonly key: string; readonly forMs: number } | undefined;
  /** Taken where nothing is refused and one is free. */
  readonly slot?: SlotClaim | undefined;
}

/** Who gave a slot, and takes it back. */
export interface SlotHolder {
  release(key: string): void;
}

export interface Charged {
  /** One for each window that was asked about, in that order. */
  readonly counts: readonly WindowCount[];
  /** Index of the first window that was too full; then nothing was counted, but in windows that count what is refused. */
  readonly refused: number | undefined;
  /** When the payer's suspension ends, in milliseconds since the epoch. Nothing is counted for who is suspended. */
  readonly suspendedUntil: number | undefined;
  /** Where a slot was asked for and free. */
  readonly slot: SlotHolder | undefined;
  /** Slots in use, where one was asked for. */
  readonly slotsUsed: number;
}

/** Where usage is counted. A charge is one step: it fits into all of its windows or is refused. */
export interface Counters {
  charge(charge: Charge, nowMs: number): Charged | Promise<Charged>;
}

export const paysFor = (windows: readonly WindowCharge[]): boolean => windows.some(({ amount }) => amount > 0);

export const overflows = ({ amount, limit }: WindowCharge, used: number): boolean => amount > 0 && used + amount > limit;
