import type { Clock } from '../../kernel/clock.ts';
import type { Priority } from '../../kernel/http/http.ts';
import type { Charged, Counters, SlotClaim, SlotHolder } from './counters.ts';
import { PRIORITIES } from './plans.ts';

/** Slots that other processes give back are found by asking; those of this process are handed on at once. */
const ASK_EVERY_MS = 25;
/** More than milliseconds since the epoch: a class comes before all of the next, whenever they arrived. */
const CLASS = 1e13;

interface Waiter {
  claim: SlotClaim;
  /** Undefined: it waited too long, or left. */
  end(holder: SlotHolder | undefined): void;
}

interface Queue {
  waiters: Waiter[];
  isServing: boolean;
  /** Something changed while it was served. */
  again: boolean;
  asking: NodeJS.Timeout | undefined;
}

/** Who waits in this process for a slot: by priority, first come first served inside a class (specification 8.4). */
export class Slots {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly parts: { counters: Counters; clock: Clock; waitMs: number }) {}

  /** One for a request of the organization whose slots lie under this key. */
  slot(key: string, limit: number): Slot {
    return new Slot(this, key, limit);
  }

  waitingFor(key: string): number {
    return this.#queues.get(key)?.waiters.length ?? 0;
  }

  /** Resolves to who gave a slot, or to undefined after the longest wait. `leave` ends the wait before. */
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

  /** Gives a slot back; who waits first in this process asks for it at once. */
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

  /** Hands out slots to the first while there are any. The counters answer at once where they are this process's own. */
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
        // the one it was asked for may have left meanwhile: it is the next one's then
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

/** The slot of one request: asked for with its charge, waited for if need be, given back once. */
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

  /** The system's time: a queue needs an order that is right to some milliseconds, and nobody moves it. */
  claim(priority: Priority, isWaiting = false): SlotClaim {
    return { key: this.key, limit: this.limit, rank: PRIORITIES.indexOf(priority) * CLASS + Date.now(), isWaiting };
  }

  /** What the charge said. Who has left meanwhile gives it back. */
  take(holder: SlotHolder | undefined): void {
    if (!holder) return;
    if (this.#hasLeft) this.slots.release(this.key, holder);
    else this.#holder = holder;
  }

  /** Resolves when it is held: false when it took too long, or who waited has left. */
  async wait(priority: Priority): Promise<boolean> {
    if (this.#holder) return true;
    if (this.#hasLeft) return false;
    const { taken, leave } = this.slots.wait(this.claim(priority, true));
    this.#leaveQueue = leave;
    this.take(await taken);
    this.#leaveQueue = undefined;
    return this.isHeld;
  }

  /** Gives back the slot, or the place in the queue. Safe to call twice. */
  leave(): void {
    this.#hasLeft = true;
    this.#leaveQueue?.();
    const holder = this.#holder;
    this.#holder = undefined;
    if (holder) this.slots.release(this.key, holder);
  }
}
