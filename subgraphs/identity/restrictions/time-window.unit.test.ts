import { expect, test } from 'vitest';
import { type Day, isWithinWindows, type TimeWindow } from './time-window.ts';

const window = (days: Day[], from: string, to: string, timezone = 'Europe/Berlin'): TimeWindow => ({ days, from, to, timezone });
const WEEK: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];

test.each([
  ['before it begins', '2026-01-05T06:59:59.999Z', false],
  ['when it begins', '2026-01-05T07:00:00Z', true],
  ['at its last moment', '2026-01-05T16:59:59.999Z', true],
  ['when it ends', '2026-01-05T17:00:00Z', false],
  ['on another day', '2026-01-04T12:00:00Z', false],
  ['in summer an hour earlier by UTC', '2026-07-06T06:00:00Z', true],
  ['in summer at the UTC hour of winter', '2026-07-06T16:00:00Z', false],
])('a time window uses the clock of its time zone: %s', (_, at, isWithin) => {
  expect(isWithinWindows(new Date(at), [window(WEEK, '08:00', '18:00')])).toBe(isWithin);
});

test.each([
  ['the evening of its day', '2026-01-09T21:30:00Z', true],
  ['the morning after', '2026-01-10T04:59:00Z', true],
  ['its end', '2026-01-10T05:00:00Z', false],
  ['the morning of its day, which belongs to the day before', '2026-01-09T04:00:00Z', false],
  ['the evening after', '2026-01-10T21:30:00Z', false],
])('a time window across midnight belongs to the day on which it starts: %s', (_, at, isWithin) => {
  expect(isWithinWindows(new Date(at), [window(['fri'], '22:00', '06:00')])).toBe(isWithin);
});

test('a time window across midnight from Sunday extends into Monday', () => {
  expect(isWithinWindows(new Date('2026-01-12T00:30:00Z'), [window(['sun'], '23:00', '03:00')])).toBe(true);
});

test('an hour skipped by daylight saving time is never within a time window, and a repeated hour is within it both times', () => {
  const skipped = [window(['sun'], '02:00', '03:00')];
  expect(isWithinWindows(new Date('2026-03-29T00:59:00Z'), skipped)).toBe(false);
  expect(isWithinWindows(new Date('2026-03-29T01:00:00Z'), skipped)).toBe(false);
  expect(isWithinWindows(new Date('2026-10-25T00:30:00Z'), skipped)).toBe(true);
  expect(isWithinWindows(new Date('2026-10-25T01:30:00Z'), skipped)).toBe(true);
  expect(isWithinWindows(new Date('2026-10-25T02:00:00Z'), skipped)).toBe(false);
});

test('24:00 in a time window is the end of the day, and equal start and end mean a whole day', () => {
  const late = new Date('2026-01-05T22:59:59Z');
  expect(isWithinWindows(late, [window(['mon'], '18:00', '24:00')])).toBe(true);
  expect(isWithinWindows(new Date('2026-01-05T23:00:00Z'), [window(['mon'], '18:00', '24:00')])).toBe(false);
  expect(isWithinWindows(new Date('2026-01-06T06:59:00Z'), [window(['mon'], '08:00', '08:00')])).toBe(true);
  expect(isWithinWindows(new Date('2026-01-06T07:00:00Z'), [window(['mon'], '08:00', '08:00')])).toBe(false);
});

test('one matching time window of several is enough in any time zone, and midnight belongs to the new day', () => {
  const windows = [window(['mon'], '08:00', '09:00'), window(['tue'], '00:00', '00:01', 'Pacific/Auckland')];
  expect(isWithinWindows(new Date('2026-01-05T11:00:30Z'), windows)).toBe(true);
  expect(isWithinWindows(new Date('2026-01-05T11:01:00Z'), windows)).toBe(false);
});
