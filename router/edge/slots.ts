import type { Clock } from '../../kernel/clock.ts';
import type { Priority } from '../../kernel/http/http.ts';
import type { Charged, Counters, SlotClaim, SlotHolder } from './counters.ts';
import { PRIORITIES } from './plans.ts';

/**
 * Interval at which a queue with waiting requests checks whether other processes have released slots. A slot that this process releases is
 * given to the next request immediately.
 */
const ASK_EVERY_MS = 25;
/**
 * Difference in rank between two priorities. A rank is a priority times this number, plus a time in milliseconds. The number is larger than
 * any such time, so a higher priority always comes first.
 */
const CLASS = 1e13;

interface Waiter {
  claim: SlotClaim;
  /** Called with the store of the slot when the request gets a slot. Not called if the request leaves the queue. */
  end(holder: SlotHolder | undefined): void;
}

interface Queue {
  waiters: Waiter[];
  isServing: boolean;
  /** True if the queue was changed while `#serve` was running, so that `#serve` must run again. */
  again: boolean;
  asking: NodeJS.Timeout | undefined;
}

/**
 * The requests of this process that wait for concurrency slots (specification 8.4). They are ordered by priority, then
 * by arrival.
 */
export class Slots {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly parts: { counters: Counters; clock: Clock; waitMs: number }) {}

  /** Creates the slot of one request. `key` identifies the organization. */
  slot(key: string, limit: number): Slot {
    return new Slot(this, key, limit);
  }

  waitingFor(key: string): number {
    return this.#queues.get(key)?.waiters.length ?? 0;
  }

  /**
   * Waits for a slot. `taken` resolves with the store of the slot, or with undefined after the maximum wait. `leave`
   * stops the wait earlier.
   */
  wait(claim: SlotClaim): { taken: Promise<SlotHolder | undefined>; leave(): void } {
    const { promise: taken, resolve } = Promise.withResolvers<SlotHolder | undefined>();
    const queue = this.#queueOf(claim.key);
    const waiter: Waiter = { claim, end: resolve };
    const leave = (): void => {
      clearTimeout(timer);
      const at = queue.waiters.indexOf(waiter);
      if (at >= 0) queue.waiters.splice(at, 1);
      if (queue.waiters.length === 0) this.#forget(claim.key, queue);
      resolve(undefined);
    };
    const timer = setTimeout(leave, this.parts.waitMs);
    waiter.end = (holder) => {
      clearTimeout(timer);
      resolve(holder);
    };
    const later = queue.waiters.findIndex((other) => other.claim.rank > claim.rank);
    queue.waiters.splice(later < 0 ? queue.waiters.length : later, 0, waiter);
    void this.#serve(claim.key, queue);
    return { taken, leave };
  }

  /** Releases a slot, and immediately tries to give it to the first waiting request of this process. */
  release(key: string, holder: SlotHolder): void {
    holder.release(key);
    const queue = this.#queues.get(key);
    if (queue) void this.#serve(key, queue);
  }

  #queueOf(key: string): Queue {
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = { waiters: [], isServing: false, again: false, asking: undefined };
      this.#queues.set(key, queue);
    }
    const known = queue;
    known.asking ??= setInterval(() => void this.#serve(key, known), ASK_EVERY_MS);
    return known;
  }

  #forget(key: string, queue: Queue): void {
    clearInterval(queue.asking);
    queue.asking = undefined;
    if (this.#queues.get(key) === queue) this.#queues.delete(key);
  }

  /**
   * Gives slots to the waiting requests in the order of the queue, until no slot is free. Counters in memory respond
   * synchronously, so the method awaits responses only if the counters are in Redis.
   */
  async #serve(key: string, queue: Queue): Promise<void> {
    queue.again = true;
    if (queue.isServing) return;
    queue.isServing = true;
    while (queue.again) {
      queue.again = false;
      for (let [first] = queue.waiters; first; [first] = queue.waiters) {
        const asked = this.#ask(first.claim);
        const { slot } = asked instanceof Promise ? await asked : asked;
        if (!slot) break;
        // if the first request has left the queue during the await, the next request gets the slot
        const served = queue.waiters.shift();
        if (served) served.end(slot);
        else slot.release(key);
      }
    }
    queue.isServing = false;
    if (queue.waiters.length === 0) this.#forget(key, queue);
  }

  #ask(claim: SlotClaim): Charged | Promise<Charged> {
    return this.parts.counters.charge({ windows: [], slot: claim }, this.parts.clock.now().getTime());
  }
}

/** The concurrency slot of one request. It is claimed together with the charge of the request, and released once. */
export class Slot {
  #holder: SlotHolder | undefined;
  #leaveQueue: (() => void) | undefined;
  #hasLeft = false;

  constructor(
    private readonly slots: Slots,
    readonly key: string,
    readonly limit: number,
  ) {}

  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  /**
   * Returns a claim for a slot. The rank of the claim uses the system's time and not the platform's clock, because
   * tests set the platform's clock, and the order must have a precision of milliseconds.
   */
  claim(priority: Priority, isWaiting = false): SlotClaim {
    return { key: this.key, limit: this.limit, rank: PRIORITIES.indexOf(priority) * CLASS + Date.now(), isWaiting };
  }

  /** Stores the slot that the request got, if any. If `leave` was called in the meantime, releases the slot instead. */
  take(holder: SlotHolder | undefined): void {
    if (!holder) return;
    if (this.#hasLeft) this.slots.release(this.key, holder);
    else this.#holder = holder;
  }

  /**
   * Resolves with true when the request holds the slot. Resolves with false after the maximum wait, or when `leave` is
   * called.
   */
  async wait(priority: Priority): Promise<boolean> {
    if (this.#holder) return true;
    if (this.#hasLeft) return false;
    const { taken, leave } = this.slots.wait(this.claim(priority, true));
    this.#leaveQueue = leave;
    this.take(await taken);
    this.#leaveQueue = undefined;
    return this.isHeld;
  }

  /** Releases the slot or the place in the queue. Repeated calls have no effect. */
  leave(): void {
    this.#hasLeft = true;
    this.#leaveQueue?.();
    const holder = this.#holder;
    this.#holder = undefined;
    if (holder) this.slots.release(this.key, holder);
  }
}
