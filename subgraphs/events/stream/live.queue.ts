import type { EventRecord } from '../log/event.entity.ts';

/** How many events wait for a subscriber that is slower than they come. */
const CAPACITY = 256;

/** The live events of one subscriber from a place in the log on. Ends when it is full: the subscriber then reads on in the log. */
export class LiveQueue {
  readonly #events: EventRecord[] = [];
  #wake: (() => void) | undefined;
  #isOpen = true;

  constructor(
    /** The sequence after which it begins. */
    readonly from: number,
    private readonly names: ReadonlySet<string>,
    private readonly detach: (queue: LiveQueue) => void,
  ) {}

  push(event: EventRecord): void {
    if (!this.#isOpen || !this.names.has(event.event)) return;
    if (this.#events.length === CAPACITY) {
      this.close();
      return;
    }
    this.#events.push(event);
    this.#wake?.();
  }

  /** The next event, as soon as there is one; undefined when the queue has ended. */
  async next(): Promise<EventRecord | undefined> {
    while (this.#isOpen && this.#events.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#events.shift();
  }

  /** Takes no more; what waits can still be taken. */
  close(): void {
    this.#isOpen = false;
    this.detach(this);
    this.#wake?.();
  }
}
