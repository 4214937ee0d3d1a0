import { ArrayMaxSize, ArrayMinSize, IsIn, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';

/** Maximum number of windows in a list. */
export const WINDOWS_MAX = 20;
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DAYS_REASON = `must be a list of days of the week: ${DAYS.join(', ')}`;
/** Matches the end of a window, which can be 24:00. */
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Hours on days of the week, in the local time of a time zone (specification 5.1). */
@ObjectType({ description: 'A range of hours on days of the week. If `to` is not later than `from`, the range ends on the next day.' })
@InputType('TimeWindowInput', {
  description: 'A range of hours on days of the week. If `to` is not later than `from`, the range ends on the next day.',
})
export class TimeWindow {
  @Field(() => [String], { description: 'Days on which the range begins: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.' })
  @ArrayMinSize(1, { message: DAYS_REASON })
  @ArrayMaxSize(DAYS.length, { message: DAYS_REASON })
  @IsIn(DAYS, { each: true, message: DAYS_REASON })
  days!: Day[];

  @Field(() => String, { description: 'Start of the range, such as `08:00`.' })
  @Matches(TIME, { message: 'must be a time such as 08:00' })
  from!: string;

  @Field(() => String, { description: 'End of the range, exclusive, such as `18:00`. `24:00` is the end of the day.' })
  @Matches(END, { message: 'must be a time such as 18:00, or 24:00' })
  to!: string;

  @Field(() => String, { description: 'IANA time zone, such as `Europe/Berlin`.' })
  @IsZone()
  timezone!: string;
}

/**
 * Returns whether a point in time is within one of the windows, by the local time of their zone. An hour that daylight saving time skips is
 * never within a window; an hour that it repeats is within the window both times.
 */
export function isWithinWindows(at: Date, windows: readonly TimeWindow[]): boolean {
  return windows.some(({ days, from, to, timezone }) => {
    const { day, time } = wallClock(at, timezone);
    const begins = (on: Day): boolean => days.includes(on);
    if (from < to) return begins(day) && time >= from && time < to;
    return (begins(day) && time >= from) || (begins(dayBefore(day)) && time < to);
  });
}

const dayBefore = (day: Day): Day => DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length] as Day;

function wallClock(at: Date, timezone: string): { day: Day; time: string } {
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return { day: String(parts.weekday).toLowerCase() as Day, time: `${parts.hour}:${parts.minute}` };
}

/**
 * Cache of formatters by time zone, since creating a formatter takes a hundred times as long as using it. About 600 time
 * zones exist, but callers can write each name in any letter case, so the cache is emptied when it has `FORMATS_MAX` entries.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const FORMATS_MAX = 1000;

/** Returns the formatter of a time zone. @throws RangeError if there is no such zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (formats.size >= FORMATS_MAX) formats.clear();
  formats.set(timeZone, made);
  return made;
}
