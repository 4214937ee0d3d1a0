import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/**
 * Number of days for which resolved incidents are kept: more than a year, so that a month can be compared with the same month of the
 * previous year.
 */
const KEPT_DAYS = 400;

/** Returns the rule that deletes old resolved incidents, with their services, timelines and links to tickets. */
export const incidentRetention = ({ rows, clock }: { rows: Rows; clock: Clock }): Retained =>
  retainedRows(rows, 'monitoring.incident', () => ({
    where: '"resolved_at" < $1',
    values: [new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)],
  }));
