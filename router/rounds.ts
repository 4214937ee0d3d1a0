const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;

/** Does something for each of many, again and again: a few at a time, and never two rounds at once. */
export class Rounds<T> {
  #isRunning = false;

  /** `act` never rejects. */
  constructor(private readonly act: (item: T) => Promise<void>) {}

  /** Nothing while the round before still runs, which stands for this one. */
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

/** @throws Error when it takes longer than 10 s, so that one that never ends does not hold up a round for ever. */
export async function inTime<T>(pending: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS).unref();
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}
