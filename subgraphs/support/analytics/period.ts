import type { Rows } from '../../../kernel/database/database.ts';
import type { DateRange } from '../../../kernel/values/date-range.ts';
import { requireZone } from '../../../kernel/values/zones.ts';

/** A range of time from `start` (inclusive) to `end` (exclusive), and its first and last date in a time zone. */
export interface Period {
  start: Date;
  end: Date;
  firstDay: string;
  lastDay: string;
}

/**
 * Converts a date range to points in time. A day begins at local midnight, or at the first valid time after midnight if
 * a clock change skips midnight. The database converts the dates, because it also groups tickets by these days. A range
 * that is relative to today, such as the last 7 days, ends at `now`.
 * @throws InvalidParameters for a time zone that the database does not support
 */
export async function periodOf(rows: Rows, range: DateRange, timezone: string, now: Date): Promise<Period> {
  await requireZone(rows, timezone, 'timezone');
  const [text, values] =
    'from' in range
      ? [
          `select "support"."start_of_day"($1::date, $3) as "start", "support"."start_of_day"($2::date + 1, $3) as "end", $1::text as "firstDay", $2::text as "lastDay"`,
          [range.from, range.to, timezone],
        ]
      : 'days' in range
        ? [
            `select "support"."start_of_day"(d - $3::int, $2) as "start", $1::timestamptz as "end",
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
