import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/** Number of days for which the history of alerts is kept. Metrics are kept for the same time. */
const KEPT_DAYS = 400;

/** Deletes old transitions of alerts. */
export const alertRetention = ({ rows, clock }: { rows: Rows; clock: Clock }): Retained =>
  retainedRows(rows, 'monitoring.alert_transition', () => ({
    where: '"created_at" < $1',
    values: [new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)],
  }));
