import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { deleteExpired } from '../../../kernel/work/retention.ts';
import { Upkeep } from '../../../kernel/work/upkeep.ts';

const EVERY_MS = 600_000;

export interface NotificationRetentionDeps {
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** How long it is kept what notifications say. */
  notificationRetentionDays: number;
}

/** Forgets what notifications said; that they were sent, to whom and under which subject stays with the ticket. */
export class NotificationRetention {
  readonly #upkeep: Upkeep;

  constructor(private readonly deps: NotificationRetentionDeps) {
    this.#upkeep = new Upkeep({ name: 'support.notifications', everyMs: EVERY_MS, log: deps.log }, (stopping) => this.purge(stopping));
  }

  start(): void {
    this.#upkeep.start();
  }

  stop(): Promise<void> {
    return this.#upkeep.stop();
  }

  async purge(stopping?: AbortSignal): Promise<void> {
    const { rows, clock, notificationRetentionDays } = this.deps;
    const values = [new Date(clock.now().getTime() - notificationRetentionDays * DAY_MS)];
    await deleteExpired(rows, { table: 'support.notification_content', where: '"created_at" < $1', values }, stopping);
  }
}
