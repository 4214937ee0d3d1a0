const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;

/** Runs an action for each of many items repeatedly: a few items in parallel, and never two rounds at once. */
export class Rounds<T> {
  #isRunning = false;

  /** `act` must never reject. */
  constructor(private readonly act: (item: T) => Promise<void>) {}

  /** Runs one round. Does nothing if the previous round is still running. */
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

/** @throws Error after 10 s, so that an item that never ends does not block a round forever */
export async function inTime<T>(pending: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS).unref();
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}
