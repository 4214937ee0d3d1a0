import type { Clock } from '../../../kernel/clock.ts';
import type { Database, Orm } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { LiveMessages } from '../live/live-messages.ts';
import { LivePoll } from '../live/live-poll.ts';
import type { LogSelection } from './log.store.ts';
import type { LogEntry, LogTailMessage } from './log.types.ts';
import { type LogPosition, LogTailStore, type NewEntries, type TailSelection } from './log-tail.store.ts';

/** Maximum number of entries of a message, and thus in a second. */
const MESSAGE_MAX = 50;
const EVERY_MS = 1_000;
/** Maximum age of the entries with which a subscription begins. */
const BACK_MS = 15 * MINUTE_MS;
/** Longest time in which the entries since a position are searched. */
const RESUME_MS = 1_000;
/** Longest time of the read for all subscribers. */
const READ_MS = 10_000;

export interface LogTailDeps {
  orm: Orm;
  database: Database;
  clock: Clock;
  log: Logger;
}

/** Passes new log entries to subscribers, those of all processes. All subscribers of a process share one read a second. */
export class LogTail {
  readonly #store: LogTailStore;
  readonly #poll: LivePoll;
  readonly #subscribers = new Set<Subscriber>();

  constructor(private readonly deps: LogTailDeps) {
    this.#store = new LogTailStore(deps.orm);
    this.#poll = new LivePoll({
      ...deps,
      name: 'monitoring.log-tail',
      isWanted: () => this.#subscribers.size > 0,
      read: () => this.#read(),
    });
  }

  /**
   * Follows the entries that a selection covers, from now on, or after the position of a message. If the position is older than
   * 15 minutes, or the entries since then are not found in time, the first message states the gap.
   * @throws InvalidParameters if `after` is not a position
   */
  async follow(selection: LogSelection, after: string | null): Promise<AsyncIterableIterator<LogTailMessage>> {
    const now = this.deps.clock.now();
    const { head, snapshot } = await this.#store.now();
    const from = after === null ? null : positionOf(after, head);
    const isRecent = from !== null && from.at >= now.getTime() - BACK_MS;
    const missed = isRecent ? await this.#store.read([{ ...selection, except: null }], from.position, now, RESUME_MS) : undefined;
    const gapSince = from && !missed ? new Date(from.at) : null;
    const wanted = { ...selection, except: missed ? null : snapshot };
    const subscriber = new Subscriber(wanted, missed?.head ?? head, gapSince, () => this.#subscribers.delete(subscriber));
    const [entries] = missed?.found ?? [];
    if (missed && entries) subscriber.add(entries, missed.head, now);
    this.#subscribers.add(subscriber);
    return subscriber.messages;
  }

  start(): void {
    this.#poll.start();
  }

  async stop(): Promise<void> {
    for (const { messages } of [...this.#subscribers]) await messages.return();
    await this.#poll.stop();
  }

  /** Reads for the subscribers of each position. Usually, all of them have the same one. */
  async #read(): Promise<void> {
    const now = this.deps.clock.now();
    for (const [position, its] of Map.groupBy(this.#subscribers, (one) => one.position)) {
      const read = await this.#store.read(
        its.map(({ selection }) => selection),
        position,
        now,
        READ_MS,
      );
      if (!read) throw new Error('new log entries could not be read in time');
      for (const [index, subscriber] of its.entries()) subscriber.add(read.found[index] ?? { entries: [], total: 0 }, read.head, now);
    }
  }
}

/** A subscriber, with the entries that wait for its next message. */
class Subscriber {
  readonly messages: LiveMessages<LogTailMessage>;
  #entries: LogEntry[] = [];
  #dropped = 0;
  #readAt = new Date(0);

  constructor(
    readonly selection: TailSelection,
    /** Position up to which entries were read. */
    public position: LogPosition,
    private gapSince: Date | null,
    left: () => void,
  ) {
    this.messages = new LiveMessages(() => this.#take(), left, EVERY_MS);
  }

  add({ entries, total }: NewEntries, position: LogPosition, readAt: Date): void {
    this.position = position;
    this.#readAt = readAt;
    if (total === 0) return;
    const all = [...this.#entries, ...entries];
    this.#entries = all.slice(-MESSAGE_MAX);
    this.#dropped += total - entries.length + all.length - this.#entries.length;
    this.messages.notify();
  }

  #take(): LogTailMessage | undefined {
    if (this.#entries.length === 0) return undefined;
    const position = `${this.position}-${this.#readAt.getTime()}`;
    const message = { entries: this.#entries, dropped: this.#dropped, gapSince: this.gapSince, position };
    this.#entries = [];
    this.#dropped = 0;
    this.gapSince = null;
    return message;
  }
}

/** A position has the time at which it was read. */
function positionOf(after: string, head: LogPosition): { position: LogPosition; at: number } {
  const [, position, at] = /^(\d{1,19})-(\d{1,15})$/.exec(after) ?? [];
  if (position && BigInt(position) <= head) return { position: BigInt(position), at: Number(at) };
  throw new InvalidParameters([{ field: 'after', value: after, reason: 'is not a position of the log. Subscribe again without it' }]);
}
