import type { Rows } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { isTimeZone, ZONE_RULE } from '../../../kernel/graphql/is-zone.ts';
import type { DateRange } from '../../../kernel/values/date-range.ts';

/** A range as it lies in time: from `start` on, before `end`; the dates are those of the zone. */
export interface Period {
  start: Date;
  end: Date;
  firstDay: string;
  lastDay: string;
}

const UNKNOWN_ZONE = '22023';

/**
 * Where a range lies in a zone: days begin when the clocks there show midnight, or the first instant after it where midnight is
 * skipped. The database says so, because it also counts by these days. The last so many days end now.
 * @throws InvalidParameters for a zone that there is not
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

/**
 * The database counts by the zone: its own copy of the IANA names must have it too. Asked first it would take more than names, such
 * as offsets, which POSIX counts westwards and ISO 8601 eastwards.
 * @throws InvalidParameters, naming the field
 */
export async function requireZone(rows: Rows, timezone: string, field: string): Promise<void> {
  if (!isTimeZone(timezone)) throw unknownZone(timezone, field);
  try {
    await rows.query('select now() at time zone $1 as "there"', [timezone]);
  } catch (error) {
    if ((error as { code?: string }).code === UNKNOWN_ZONE) throw unknownZone(timezone, field);
    throw error;
  }
}

const unknownZone = (value: string, field: string) => new InvalidParameters([{ field, value, reason: ZONE_RULE }]);
