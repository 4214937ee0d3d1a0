/** A reading that many want at once: who asks while one is under way shares the next one, which begins after they asked. */
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
