const AT_ONCE = 8;

/**
 * Runs an action for many items, at most 8 in parallel. Each call of `run` is a round. The rounds of one `Rounds`
 * object never overlap.
 */
export class Rounds<T> {
  #isRunning = false;

  /** `act` processes one item. It must never reject. */
  constructor(private readonly act: (item: T) => Promise<void>) {}

  /** Runs the action for each item once. Does nothing if the previous round is still running. */
  async run(items: Iterable<T>): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const waiting = [...items].values();
    const takeTurns = async (): Promise<void> => {
      for (const item of waiting) await this.act(item);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    this.#isRunning = false;
  }
}
