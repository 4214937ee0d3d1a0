import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/** Number of days for which it is known which tickets an alert has opened. The history of alerts is kept for the same time. */
const KEPT_DAYS = 400;

/** Deletes old links between alerts and tickets. Those of an incident are deleted with the incident. */
export const alertTicketRetention = ({ rows, clock }: { rows: Rows; clock: Clock }): Retained =>
  retainedRows(rows, 'monitoring.alert_ticket', () => ({
    where: '"ended_at" < $1',
    values: [new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)],
  }));
