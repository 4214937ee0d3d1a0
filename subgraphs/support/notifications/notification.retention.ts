import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { deleteExpired } from '../../../kernel/work/retention.ts';
import { PeriodicTask } from '../../../kernel/work/upkeep.ts';

const EVERY_MS = 600_000;

export interface NotificationRetentionDeps {
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** How long it is kept what notifications say. */
  notificationRetentionDays: number;
}

/** Forgets what notifications said; that they were sent, to whom and under which subject stays with the ticket. */
export class NotificationRetention extends PeriodicTask {
  constructor(private readonly deps: NotificationRetentionDeps) {
    super({ name: 'support.notifications', everyMs: EVERY_MS, log: deps.log });
  }

  override async run(stopping?: AbortSignal): Promise<void> {
    const { rows, clock, notificationRetentionDays } = this.deps;
    const values = [new Date(clock.now().getTime() - notificationRetentionDays * DAY_MS)];
    await deleteExpired(rows, { table: 'support.notification_content', where: '"created_at" < $1', values }, stopping);
  }
}
