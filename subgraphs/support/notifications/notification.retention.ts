import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

export interface NotificationRetentionDeps {
  rows: Rows;
  clock: Clock;
  /** How long it is kept what notifications say. */
  notificationRetentionDays: number;
}

/** What notifications said; that they were sent, to whom and under which subject stays with the ticket. */
export const notificationRetention = ({ rows, clock, notificationRetentionDays }: NotificationRetentionDeps): Retained =>
  retainedRows(rows, 'support.notification_content', () => ({
    where: '"created_at" < $1',
    values: [new Date(clock.now().getTime() - notificationRetentionDays * DAY_MS)],
  }));
