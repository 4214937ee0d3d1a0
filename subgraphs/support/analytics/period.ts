import type { Rows } from '../../../kernel/database/database.ts';
import type { DateRange } from '../../../kernel/values/date-range.ts';
import { requireZone } from '../../../kernel/values/zones.ts';

/** A range as it lies in time: from `start` on, before `end`; the dates are those of the zone. */
export interface Period {
  start: Date;
  end: Date;
  firstDay: string;
  lastDay: string;
}

/**
 * Where a range lies in a zone: days begin when the clocks there show midnight, or the first instant after it where midnight is
 * skipped. The database says so, because it also counts by these days. The last so many days end now.
 * @throws InvalidParameters for a zone that the database does not know
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
  if (!row) throw new Error('A period has no beginning.');
  return { ...row, start: new Date(row.start), end: new Date(row.end) };
}
