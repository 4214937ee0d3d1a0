import { IANAZone } from 'luxon';
import { DAY_MS, MINUTE_MS } from '../../../kernel/values/days.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * Daily hours on some weekdays, such as `09:00` to `17:00`. If the end is earlier than the beginning, the hours end on
 * the next day. `24:00` is the end of a day.
 */
export interface WorkingHours {
  days: readonly Weekday[];
  from: string;
  to: string;
}

/**
 * Working hours of support staff: weekly hours in the local time of an IANA time zone. Holidays, such as `2026-12-25`,
 * have no working hours. When the clocks change, an hour that occurs twice counts twice, and a skipped hour does not
 * count.
 */
export interface BusinessCalendar {
  timezone: string;
  hours: readonly WorkingHours[];
  holidays: readonly string[];
}

/** Calendar of working hours. Null means that all time is working time. */
export type Calendar = BusinessCalendar | null;

/** A period in which a clock runs. `to` is null while the clock is running. */
export interface Span {
  from: Date;
  to: Date | null;
}

/**
 * Returns the time at which `ms` milliseconds of working time after `start` have passed. If the working time ends at
 * the end of a working day, the result is this end, not the beginning of the next working day. The result is at most
 * ten years after `start`.
 */
export function addWorkingTime(start: Date, ms: number, calendar: Calendar): Date {
  if (!calendar) return new Date(start.getTime() + ms);
  let left = ms;
  if (left <= 0) return start;
  for (const { from, to } of openings(start, calendar)) {
    const begin = Math.max(from, start.getTime());
    if (left <= to - begin) return new Date(begin + left);
    left -= to - begin;
  }
  return new Date(start.getTime() + HORIZON_DAYS * DAY_MS);
}

/** Returns the milliseconds of working time from `start` to `end`; 0 if `end` is not after `start`. */
export function workingTime(start: Date, end: Date, calendar: Calendar): number {
  const [first, last] = [start.getTime(), end.getTime()];
  if (last <= first) return 0;
  if (!calendar) return last - first;
  let worked = 0;
  for (const { from, to } of openings(start, calendar)) {
    if (from >= last) break;
    worked += Math.min(to, last) - Math.max(from, first);
  }
  return worked;
}

/**
 * Returns the time at which the working time within consecutive spans reaches `ms` milliseconds. If all spans end
 * before that time, the result is computed as if the last span had not ended.
 */
export function reachedAt(spans: readonly Span[], ms: number, calendar: Calendar): Date {
  let left = ms;
  for (const { from, to } of spans) {
    const worked = to ? workingTime(from, to, calendar) : Number.POSITIVE_INFINITY;
    if (left <= worked) return addWorkingTime(from, left, calendar);
    left -= worked;
  }
  const stoppedAt = spans.at(-1)?.to;
  if (!stoppedAt) throw new RangeError('Time is counted in at least one span.');
  return addWorkingTime(stoppedAt, left, calendar);
}

interface Opening {
  from: number;
  to: number;
}

const DAY_MINUTES = 24 * 60;
const HORIZON_DAYS = 3660;
/** Weekday of 1970-01-01, from which weekdays are counted. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

/**
 * Yields the working periods that end later than `after`, the earliest first and without overlaps. A period that crosses
 * midnight UTC is split into two periods.
 */
function* openings(after: Date, { timezone, hours, holidays }: BusinessCalendar): Generator<Opening> {
  const week = WEEKDAYS.map((day) => piecesOf(day, hours));
  const closed = new Set(holidays.map((date) => Date.parse(date) / DAY_MS));
  const first = Math.floor(after.getTime() / DAY_MS);
  for (let day = first; day < first + HORIZON_DAYS; day += 1) {
    for (const { from, to, offset } of segmentsOf(day, timezone)) {
      for (let date = Math.floor((from + offset) / DAY_MS); date * DAY_MS < to + offset; date += 1) {
        if (closed.has(date)) continue;
        const midnight = date * DAY_MS - offset;
        for (const [start, end] of week[(date + FIRST_WEEKDAY) % 7] ?? []) {
          const opening = { from: Math.max(midnight + start * MINUTE_MS, from), to: Math.min(midnight + end * MINUTE_MS, to) };
          if (opening.to > after.getTime() && opening.to > opening.from) yield opening;
        }
      }
    }
  }
}

/**
 * Returns the parts of the weekly hours on one weekday, in minutes after midnight. Hours that cross midnight are split
 * between two days.
 */
function piecesOf(day: Weekday, hours: readonly WorkingHours[]): [number, number][] {
  const dayBefore = WEEKDAYS[(WEEKDAYS.indexOf(day) + WEEKDAYS.length - 1) % WEEKDAYS.length] as Weekday;
  const pieces = hours.flatMap(({ days, from, to }): [number, number][] => {
    const [start, end] = [minutesOf(from), minutesOf(to)];
    if (start < end) return days.includes(day) ? [[start, end]] : [];
    return [
      ...(days.includes(day) ? [[start, DAY_MINUTES] as [number, number]] : []),
      ...(days.includes(dayBefore) ? [[0, end] as [number, number]] : []),
    ];
  });
  return merged(pieces.sort(([one], [other]) => one - other));
}

function merged(pieces: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of pieces) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** A range of time in which the offset of a time zone from UTC is constant. */
interface Segment extends Opening {
  offset: number;
}

/**
 * Cache of the results of `segmentsOf`. Computing a result with the JavaScript API Intl takes some microseconds, and
 * the same days are needed repeatedly.
 */
const known = new Map<string, Segment[]>();
const KNOWN_MAX = 50_000;

/**
 * Returns the segments of a UTC day: one segment, or two if the clocks change on this day. No zone changes its clocks
 * twice within a day.
 */
function segmentsOf(day: number, timezone: string): Segment[] {
  const key = `${timezone} ${day}`;
  const before = known.get(key);
  if (before) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const offsetAt = (time: number): number => IANAZone.create(timezone).offset(time) * MINUTE_MS;
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS];
  const [offset, next] = [offsetAt(from), offsetAt(to)];
  let change = to;
  if (offset !== next) {
    let early = from;
    while (change - early > 1) {
      const middle = Math.floor((early + change) / 2);
      if (offsetAt(middle) === offset) early = middle;
      else change = middle;
    }
  }
  const segments = [{ from, to: change, offset }, ...(change < to ? [{ from: change, to, offset: next }] : [])];
  known.set(key, segments);
  return segments;
}
