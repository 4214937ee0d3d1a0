import type { Selection } from './feed.ts';

/** Maximum number of records that wait for a slow subscriber. */
const CAPACITY = 256;

/**
 * Queue of live records after a position, for one subscriber. The queue closes when it is full. The subscriber then
 * reads the following records from the feed.
 */
export class LiveQueue<T> {
  readonly #records: T[] = [];
  #wake: (() => void) | undefined;
  #isOpen = true;

  constructor(
    /** Position after which the queue begins. */
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

  /** Waits for the next record and returns it. Returns undefined when the queue is closed and empty. */
  async next(): Promise<T | undefined> {
    while (this.#isOpen && this.#records.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#records.shift();
  }

  /** Closes the queue, which then accepts no more records. Records that are already in the queue can still be read. */
  close(): void {
    this.#isOpen = false;
    this.detach();
    this.#wake?.();
  }
}
