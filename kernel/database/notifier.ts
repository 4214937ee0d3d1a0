import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../log/log.ts';
import type { EntityManager } from './database.ts';

/** Minimum time between two statements of a `Notifier`. Notifications that are sent meanwhile are sent together, each of them once. */
const GATHERED_MS = 5;

const NOTIFY = 'select pg_notify(n."channel", n."payload") from unnest($1::text[], $2::text[]) as n ("channel", "payload")';

export interface Notification {
  channel: string;
  /** A text of a small set, such as the name of a queue, never the id of a record: notifications that wait to be sent are kept in memory. */
  payload: string;
}

/**
 * Sends NOTIFY to all processes, this one included. Notifications are sent separately, after a commit, because PostgreSQL runs commits that
 * contain a NOTIFY one at a time, and each takes until it is on the disk. A notification can be lost, for example if the process is killed
 * before it is sent. So everything that is notified must also be found by a poll.
 */
export class Notifier {
  readonly #waiting = new Map<string, Notification>();
  #isSending = false;

  constructor(
    private readonly run: (text: string, values: readonly unknown[]) => Promise<unknown>,
    private readonly log: Logger,
  ) {}

  notify({ channel, payload }: Notification): void {
    this.#waiting.set(`${channel} ${payload}`, { channel, payload });
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    // all notifications of a transaction are added first, so that one statement sends them, and equal ones are sent once
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const all = [...this.#waiting.values()];
      this.#waiting.clear();
      try {
        await this.run(NOTIFY, [all.map(({ channel }) => channel), all.map(({ payload }) => payload)]);
      } catch (error) {
        this.log.debug({ err: error }, 'notifications could not be sent');
      }
      await delay(GATHERED_MS, undefined, { ref: false });
    }
    this.#isSending = false;
  }
}

/** Notifies all processes when a transaction commits. On a server, the `Notifier` of the process does it after the commit. */
export async function notify(tx: EntityManager, { channel, payload }: Notification): Promise<void> {
  await tx.execute(`select pg_notify(${pg.escapeLiteral(channel)}, ${pg.escapeLiteral(payload)})`);
}

/** Returns the notification of a statement that `notify` has built; undefined for any other statement. */
export function notificationOf(sql: string): Notification | undefined {
  const [, channel, payload] = /^select pg_notify\('((?:[^'\\]|'')*)', '((?:[^'\\]|'')*)'\)$/.exec(sql) ?? [];
  if (channel === undefined || payload === undefined) return undefined;
  return { channel: channel.replaceAll("''", "'"), payload: payload.replaceAll("''", "'") };
}
