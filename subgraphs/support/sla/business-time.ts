import { DateTime } from 'luxon';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours of days of the week, `09:00` to `17:00`. One that ends before it begins ends on the next day; `24:00` is the end of a day. */
export interface WorkingHours {
  days: readonly Weekday[];
  from: string;
  to: string;
}

/** When a desk works: weekly hours by the clocks of a zone (IANA), without the whole of each holiday (`2026-12-25`). */
export interface BusinessCalendar {
  timezone: string;
  hours: readonly WorkingHours[];
  holidays: readonly string[];
}

/** Null is round the clock. */
export type Calendar = BusinessCalendar | null;

/** A stretch of time that counts; without an end it goes on. */
export interface Span {
  from: Date;
  to: Date | null;
}

/**
 * The instant at which `ms` milliseconds of working time have passed since `start`. What ends with a working day is due at its
 * closing time, not at the next opening. What would take more than ten years of such a calendar is due in ten years: as good as never.
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
  return DateTime.fromJSDate(start).plus({ days: HORIZON_DAYS }).toJSDate();
}

/** Milliseconds of working time between two instants; 0 where the second is not after the first. */
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
 * The instant at which working time within the spans, which follow each other, has reached `ms`. Where the last one ended before,
 * it is when that would have been, had it gone on: the instant moves when another span begins.
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

/** The stretches of work that end after an instant, in order and without overlaps. */
function* openings(after: Date, { timezone, hours, holidays }: BusinessCalendar): Generator<Opening> {
  const week = WEEKDAYS.map((day) => piecesOf(day, hours));
  const closed = new Set(holidays);
  // dates are reckoned in UTC, where every day has 24 hours, and become instants of the zone one by one
  let date = DateTime.fromJSDate(after, { zone: timezone }).setZone('utc', { keepLocalTime: true }).startOf('day');
  for (let day = 0; day < HORIZON_DAYS; day += 1, date = date.plus({ days: 1 })) {
    if (closed.has(date.toISODate() ?? '')) continue;
    for (const [start, end] of week[date.weekday - 1] ?? []) {
      const opening = { from: instantOf(date, start, timezone), to: instantOf(date, end, timezone) };
      if (opening.to > after.getTime() && opening.to > opening.from) yield opening;
    }
  }
}

/** What of the weekly hours lies on one day, in minutes of that day: a night's hours belong to two days. */
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

/** Zones are asked through Intl, which takes some microseconds; the same days are asked for again and again. */
const known = new Map<string, number>();
const KNOWN_MAX = 50_000;

/** When the clocks of a zone first show a time of a date; for a time that summer time skips, when they skip it. */
function instantOf(date: DateTime, minutes: number, timezone: string): number {
  const key = `${timezone} ${date.toMillis()} ${minutes}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const wall = date.plus({ minutes });
  const local = wall.setZone(timezone, { keepLocalTime: true });
  const isSkipped = local.hour !== wall.hour || local.minute !== wall.minute || local.day !== wall.day;
  const instant = isSkipped ? jumpBefore(local) : Math.min(...local.getPossibleOffsets().map((possible) => possible.toMillis()));
  known.set(key, instant);
  return instant;
}

const HOUR_MS = 3_600_000;
/** Zones that crossed the date line skipped a whole day. */
const LONGEST_JUMP_MS = 26 * HOUR_MS;

/** When the zone's offset changed last before an instant. */
function jumpBefore(local: DateTime): number {
  let [early, late] = [local.toMillis() - LONGEST_JUMP_MS, local.toMillis()];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (local.zone.offset(middle) === local.zone.offset(late)) late = middle;
    else early = middle;
  }
  return late;
}
