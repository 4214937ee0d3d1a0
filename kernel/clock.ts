/** Where the platform takes the time from, so that tests can move it. */
export interface Clock {
  now(): Date;
  /** Calls back when time was moved, until the answer is called: whoever looks every so often for what is due looks at once. Time that merely passes is not told of. */
  onMoved?(listener: () => void): () => void;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that runs with the system's and can be moved. Timers do not follow it: what waits must ask the clock. */
export class TestClock implements Clock {
  /** How far this clock is ahead of the system's, in milliseconds; negative when it is behind. */
  offsetMs = 0;

  #stoppedAt: Date | undefined;
  readonly #listeners = new Set<() => void>();

  now(): Date {
    return this.#stoppedAt ?? new Date(Date.now() + this.offsetMs);
  }

  /** Lets no time pass in `act`: what is kept for seconds does not expire between two of its steps, however slow the machine is. */
  async standingStill<T>(act: () => Promise<T>): Promise<T> {
    this.#stoppedAt = this.now();
    try {
      return await act();
    } finally {
      this.#stoppedAt = undefined;
    }
  }

  advance(ms: number): void {
    this.#moveTo(this.offsetMs + ms);
  }

  set(date: Date): void {
    this.#moveTo(date.getTime() - Date.now());
  }

  onMoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #moveTo(offsetMs: number): void {
    this.offsetMs = offsetMs;
    for (const listener of this.#listeners) listener();
  }
}
