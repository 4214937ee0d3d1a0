import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

export interface NotificationRetentionDeps {
  rows: Rows;
  clock: Clock;
  /** Number of days for which the text of notifications is kept. */
  notificationRetentionDays: number;
}

/** Deletes old texts of notifications. The recipients, the subjects and the delivery status are kept. */
export const notificationRetention = ({ rows, clock, notificationRetentionDays }: NotificationRetentionDeps): Retained =>
  retainedRows(rows, 'support.notification_content', () => ({
    where: '"created_at" < $1',
    values: [new Date(clock.now().getTime() - notificationRetentionDays * DAY_MS)],
  }));
