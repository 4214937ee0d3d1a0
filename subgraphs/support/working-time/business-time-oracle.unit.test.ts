import { expect, test } from 'vitest';
import { addWorkingTime, type BusinessCalendar, WEEKDAYS, type Weekday, workingTime } from './business-time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const CASES = 120;
const seed = Date.now() % 1_000_000;

/** Returns a random number generator (Mulberry32). For the same `state`, it always generates the same numbers. */
function randomFrom(state: number): () => number {
  let now = state;
  return () => {
    now = (now + 0x6d2b79f5) | 0;
    let mixed = Math.imul(now ^ (now >>> 15), 1 | now);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Clock {
  date: string;
  weekday: Weekday;
  time: string;
}

/** Returns a function that converts a time to the local date, weekday and clock time, with the JavaScript API Intl. */
function clockOf(timeZone: string): (time: number) => Clock {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return {
      date: `${parts.year}-${parts.month}-${parts.day}`,
      weekday: String(parts.weekday).slice(0, 3).toLowerCase() as Weekday,
      time: `${parts.hour}:${parts.minute}`,
    };
  };
}

const yesterday = (day: Weekday): Weekday => WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7] as Weekday;

/**
 * Returns whether a minute is working time. This function follows the specification and uses no code of the tested
 * module.
 */
const isWorked = ({ hours, holidays }: BusinessCalendar, { date, weekday, time }: Clock): boolean =>
  !holidays.includes(date) &&
  hours.some(({ days, from, to }) => {
    if (from < to) return days.includes(weekday) && from <= time && time < to;
    return (days.includes(weekday) && from <= time) || (days.includes(yesterday(weekday)) && time < to);
  });

/** Returns all clock changes of a time zone from 2024 to 2027. */
function changesOf(timeZone: string): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (time: number) => format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
  const found: number[] = [];
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2028, 0, 1); day += DAY_MS) {
    if (offsetAt(day) === offsetAt(day + DAY_MS)) continue;
    let minute = day;
    while (offsetAt(minute) === offsetAt(day)) minute += MINUTE_MS;
    found.push(minute);
  }
  return found;
}

const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Nuuk',
  'Atlantic/Azores',
  'Pacific/Chatham',
  'Antarctica/Troll',
  'America/Santiago',
  'America/St_Johns',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
];
const CHANGES = new Map(ZONES.map((zone) => [zone, changesOf(zone)]));

test(`around clock changes, working time equals the number of minutes whose local time is within business hours (seed ${seed})`, () => {
  const random = randomFrom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  /** Returns a random clock time. Half of the times are within two hours of `near`, the time of a clock change. */
  const time = (near: string, isEnd: boolean) => {
    const [hour = 0, minute = 0] = near.split(':').map(Number);
    const quarter = random() < 0.5 ? below(96) : (hour * 4 + Math.floor(minute / 15) + below(17) - 8 + 96) % 96;
    if (isEnd && quarter === 0) return '24:00';
    return `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`;
  };
  for (let index = 0; index < CASES; index += 1) {
    const timezone = pick(ZONES);
    const clock = clockOf(timezone);
    const change = pick(CHANGES.get(timezone) ?? []) ?? Date.UTC(2026, 2, 29);
    const start = change - below(2 * 1440) * MINUTE_MS;
    const end = change + below(2 * 1440) * MINUTE_MS;
    const hours = Array.from({ length: 1 + below(3) }, () => {
      const near = clock(change - MINUTE_MS).time;
      const [from, to] = [time(near, false), time(near, true)];
      return { days: WEEKDAYS.filter(() => random() < 0.8), from, to };
    });
    const holidays = random() < 0.2 ? [clock(pick([start, change, end])).date] : [];
    const calendar: BusinessCalendar = { timezone, hours, holidays };
    const worked: number[] = [];
    for (let minute = start; minute < end; minute += MINUTE_MS) if (isWorked(calendar, clock(minute))) worked.push(minute);
    const what = JSON.stringify({ seed, index, calendar, start: new Date(start), end: new Date(end) });
    expect(workingTime(new Date(start), new Date(end), calendar) / MINUTE_MS, what).toBe(worked.length);
    if (worked.length === 0) continue;
    const at = below(worked.length);
    const due = addWorkingTime(new Date(start), (at + 1) * MINUTE_MS, calendar);
    expect(due.toISOString(), what).toBe(new Date((worked[at] ?? 0) + MINUTE_MS).toISOString());
  }
});
