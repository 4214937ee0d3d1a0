/** The source of the current time. Tests replace it with a clock whose time they can change. */
export interface Clock {
  now(): Date;
  /**
   * Registers a listener that is called when a test moves the clock, so that pollers immediately check for due work.
   * The listener is not called when time passes normally. Returns a function that removes the listener.
   */
  onMoved?(listener: () => void): () => void;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * A clock that runs at the speed of the system clock and can be moved. Moving the clock does not affect timers, so code
 * that waits must read the clock.
 */
export class TestClock implements Clock {
  /** Number of milliseconds that this clock is ahead of the system clock. Negative if it is behind the system clock. */
  offsetMs = 0;

  #stoppedAt: Date | undefined;
  readonly #listeners = new Set<() => void>();

  now(): Date {
    return this.#stoppedAt ?? new Date(Date.now() + this.offsetMs);
  }

  /** Stops the clock while `act` runs, so that short-lived values do not expire between two steps on a slow machine. */
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
