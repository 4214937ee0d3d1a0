import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, dateOf, MINUTE_MS } from './days.ts';
import { localTime, startOfDay } from './local-time.ts';

const ZONES = Intl.supportedValuesOf('timeZone');

const formats = new Map(
  ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })]),
);

/** Formats a timestamp as local date and time with the JavaScript API Intl, such as `2026-03-08 03:00:00`. */
const shown = (time: Date | number, zone: string): string => formats.get(zone)?.format(time) ?? '';

test('the local time is the UTC timestamp with the same date and time of day', () => {
  expect(new Date(localTime(Date.parse('2026-01-15T14:00:00Z'), 'America/New_York')).toISOString()).toBe('2026-01-15T09:00:00.000Z');
  expect(new Date(localTime(Date.parse('2026-01-15T18:31:00Z'), 'Asia/Kolkata')).toISOString()).toBe('2026-01-16T00:01:00.000Z');
});

test('an unknown time zone and an invalid date are refused', () => {
  expect(() => localTime(0, 'Mars/Olympus')).toThrow(RangeError);
  expect(() => startOfDay('2026-02-30x', 'UTC')).toThrow(RangeError);
});

test.each([
  ['is the local midnight', '2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
  ['is 01:00 if clocks skip midnight in Santiago', '2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
  ['is 01:00 if clocks skip midnight in Cairo', '2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ['is the first midnight if clocks show midnight twice in the Azores', '2026-10-25', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
  ['is the first midnight if clocks show midnight twice in Havana', '2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ['is the only midnight if clocks repeat the hour before it in Santiago', '2026-04-05', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
  ['is the start of the next day if the whole day was skipped in Samoa', '2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('the start of a local day %s', (_, date, zone, expected) => {
  expect(startOfDay(date, zone).toISOString()).toBe(expected);
});

test('the local time in any zone is the time that Intl shows', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date('1980-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      (zone, at) => {
        const local = new Date(localTime(at.getTime(), zone)).toISOString();
        expect(local.slice(0, 19).replace('T', ' ')).toBe(shown(at, zone));
        expect(local.slice(19)).toBe(at.toISOString().slice(19));
      },
    ),
    { numRuns: 300 },
  );
});

test('before the start of a day, clocks in any zone show an earlier date, and from the start on they show this date or a later date', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date('2012-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      (zone, at) => {
        const date = dateOf(at);
        const start = startOfDay(date, zone).getTime();
        for (const before of [1, MINUTE_MS, 120 * MINUTE_MS, DAY_MS / 2]) expect(shown(start - before, zone) < date).toBe(true);
        for (const after of [0, MINUTE_MS, 120 * MINUTE_MS, DAY_MS / 2]) expect(shown(start + after, zone).slice(0, 10)).toBe(date);
      },
    ),
    { numRuns: 300 },
  );
});

test('each day of a year starts when Intl first shows its date, in zones that change clocks at midnight', () => {
  for (const zone of ['Atlantic/Azores', 'America/Havana', 'America/Santiago', 'Africa/Cairo', 'America/Nuuk', 'Australia/Lord_Howe']) {
    for (let time = Date.parse('2026-01-02T00:00Z'), last = ''; time < Date.parse('2027-01-02T00:00Z'); time += 30 * MINUTE_MS) {
      const date = shown(time, zone).slice(0, 10);
      if (date > last && last) expect([zone, date, startOfDay(date, zone)]).toEqual([zone, date, new Date(time)]);
      if (date > last) last = date;
    }
  }
});
