import type { Selection } from './feed.ts';

/** How many records wait for a subscriber that is slower than they come. */
const CAPACITY = 256;

/** The live records of one subscriber from a place in the feed on. Ends when it is full: the subscriber then reads on in the feed. */
export class LiveQueue<T> {
  readonly #records: T[] = [];
  #wake: (() => void) | undefined;
  #isOpen = true;

  constructor(
    /** The position after which it begins. */
    readonly from: number,
    private readonly selection: Selection<T>,
    private readonly detach: () => void,
  ) {}

  push(record: T): void {
    if (!this.#isOpen || !this.selection.covers(record)) return;
    if (this.#records.length === CAPACITY) {
      this.close();
      return;
    }
    this.#records.push(record);
    this.#wake?.();
  }

  /** The next record, as soon as there is one; undefined when the queue has ended. */
  async next(): Promise<T | undefined> {
    while (this.#isOpen && this.#records.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#records.shift();
  }

  /** Takes no more; what waits can still be taken. */
  close(): void {
    this.#isOpen = false;
    this.detach();
    this.#wake?.();
  }
}
