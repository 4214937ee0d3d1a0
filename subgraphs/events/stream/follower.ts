import type { Logger } from '../../../kernel/log.ts';
import { Pump } from '../../../kernel/pump.ts';
import type { EventLog } from '../log/event.log.ts';
import { LiveQueue } from './live.queue.ts';

const BATCH = 500;

/** Follows the log, once for the whole process, and hands each event to the live subscribers of its organization. */
export class Follower {
  readonly #queues = new Map<string, Set<LiveQueue>>();
  readonly #pump: Pump;
  /** Everything up to here was handed on. Undefined while nobody listens: then the log is not read. */
  #position: number | undefined;
  #isStopped = false;

  constructor(
    private readonly eventLog: EventLog,
    log: Logger,
  ) {
    this.#pump = new Pump(() => this.#advance(), log);
  }

  start(): void {
    this.#pump.start();
  }

  wake(): void {
    if (this.#queues.size > 0) this.#pump.wake();
  }

  /** Ends every stream. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const queue of [...this.#queues.values()].flatMap((queues) => [...queues])) queue.close();
    await this.#pump.stop();
  }

  /** Listens from the follower's place in the log on; undefined once it has stopped. */
  async attach(organizationId: string, names: ReadonlySet<string>): Promise<LiveQueue | undefined> {
    const head = this.#position === undefined ? await this.eventLog.head() : 0;
    if (this.#isStopped) return undefined;
    this.#position ??= head;

    const queues = this.#queues.get(organizationId) ?? new Set();
    const queue = new LiveQueue(this.#position, names, () => this.#detach(organizationId, queue));
    this.#queues.set(organizationId, queues.add(queue));
    this.#pump.wake();
    return queue;
  }

  #detach(organizationId: string, queue: LiveQueue): void {
    const queues = this.#queues.get(organizationId);
    queues?.delete(queue);
    if (queues?.size === 0) this.#queues.delete(organizationId);
  }

  async #advance(): Promise<boolean> {
    if (this.#queues.size === 0) this.#position = undefined;
    if (this.#position === undefined) return false;
    const events = await this.eventLog.after(this.#position, BATCH);
    for (const event of events) for (const queue of [...(this.#queues.get(event.organizationId) ?? [])]) queue.push(event);
    this.#position = events.at(-1)?.sequence ?? this.#position;
    return events.length === BATCH;
  }
}
