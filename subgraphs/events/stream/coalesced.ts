/**
 * Shares a query between concurrent callers. A caller that arrives while a query is running waits for the next query,
 * so that no result is older than the call.
 */
export class Coalesced<T> {
  #current: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(private readonly read: () => Promise<T>) {}

  get(): Promise<T> {
    this.#next ??= this.#readNext();
    return this.#next;
  }

  async #readNext(): Promise<T> {
    await this.#current?.catch(() => undefined);
    const reading = this.read();
    this.#current = reading;
    this.#next = undefined;
    return reading;
  }
}
