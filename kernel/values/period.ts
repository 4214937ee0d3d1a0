import type { Rows } from '../database/database.ts';
import type { DateRange } from './date-range.ts';
import { requireZone } from './zones.ts';

/** A range of time from `start` (inclusive) to `end` (exclusive), and its first and last date in a time zone. */
export interface Period {
  start: Date;
  end: Date;
  firstDay: string;
  lastDay: string;
}

/**
 * Returns an SQL expression for the start of a local day. `day` and `zone` are SQL expressions. A clock change can set the clocks back over
 * midnight, so that midnight occurs twice. In this case, the result is the first midnight. The conversion of PostgreSQL would return the
 * second midnight.
 */
const startOfDay = (day: string, zone: string): string =>
  `(select case when ((t - interval '1 hour') at time zone ${zone})::date = ${day} then t - interval '1 hour' else t end
    from (select (${day})::timestamp at time zone ${zone}) midnight(t))`;

/**
 * Converts a date range to points in time. A day begins at local midnight, or at the first valid time after midnight if
 * a clock change skips midnight. The database converts the dates, because it also groups records by these days. A range
 * that is relative to today, such as the last 7 days, ends at `now`.
 * @throws InvalidParameters for a time zone that the database does not support
 */
export async function periodOf(rows: Rows, range: DateRange, timezone: string, now: Date): Promise<Period> {
  await requireZone(rows, timezone, 'timezone');
  const [text, values] =
    'from' in range
      ? [
          `select ${startOfDay('$1::date', '$3')} as "start", ${startOfDay('$2::date + 1', '$3')} as "end", $1::text as "firstDay", $2::text as "lastDay"`,
          [range.from, range.to, timezone],
        ]
      : 'days' in range
        ? [
            `select ${startOfDay('d - $3::int', '$2')} as "start", $1::timestamptz as "end",
               to_char(d - $3::int, 'YYYY-MM-DD') as "firstDay", to_char(d, 'YYYY-MM-DD') as "lastDay"
             from (select ($1::timestamptz at time zone $2)::date) today(d)`,
            [now, timezone, range.days - 1],
          ]
        : [
            `select s as "start", $1::timestamptz as "end", to_char(s at time zone $2, 'YYYY-MM-DD') as "firstDay",
               to_char($1::timestamptz at time zone $2, 'YYYY-MM-DD') as "lastDay"
             from (select $1::timestamptz - make_interval(hours => $3::int)) began(s)`,
            [now, timezone, range.hours],
          ];
  const [row] = await rows.query<Period>(text as string, values as unknown[]);
  if (!row) throw new Error('The database returned no row for the period.');
  return { ...row, start: new Date(row.start), end: new Date(row.end) };
}
