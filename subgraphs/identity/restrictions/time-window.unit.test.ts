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
])('by the local time of its time zone, a time window contains the time %s (%s): %s', (_, at, isWithin) => {
  expect(isWithinWindows(new Date(at), [window(WEEK, '08:00', '18:00')])).toBe(isWithin);
});

test.each([
  ['Friday evening', '2026-01-09T21:30:00Z', true],
  ['Saturday morning', '2026-01-10T04:59:00Z', true],
  ['Saturday at 06:00', '2026-01-10T05:00:00Z', false],
  ['Friday morning', '2026-01-09T04:00:00Z', false],
  ['Saturday evening', '2026-01-10T21:30:00Z', false],
])('a time window from Friday 22:00 to Saturday 06:00 includes %s (%s): %s', (_, at, isWithin) => {
  expect(isWithinWindows(new Date(at), [window(['fri'], '22:00', '06:00')])).toBe(isWithin);
});

test('a time window that begins on Sunday at 23:00 and ends at 03:00 extends into Monday', () => {
  expect(isWithinWindows(new Date('2026-01-12T00:30:00Z'), [window(['sun'], '23:00', '03:00')])).toBe(true);
});

test('a time window from 02:00 to 03:00 is empty when the clocks skip this hour, and applies twice when they repeat it', () => {
  const skipped = [window(['sun'], '02:00', '03:00')];
  expect(isWithinWindows(new Date('2026-03-29T00:59:00Z'), skipped)).toBe(false);
  expect(isWithinWindows(new Date('2026-03-29T01:00:00Z'), skipped)).toBe(false);
  expect(isWithinWindows(new Date('2026-10-25T00:30:00Z'), skipped)).toBe(true);
  expect(isWithinWindows(new Date('2026-10-25T01:30:00Z'), skipped)).toBe(true);
  expect(isWithinWindows(new Date('2026-10-25T02:00:00Z'), skipped)).toBe(false);
});

test('a time window may end at 24:00, and a time window with equal start and end lasts 24 hours', () => {
  const late = new Date('2026-01-05T22:59:59Z');
  expect(isWithinWindows(late, [window(['mon'], '18:00', '24:00')])).toBe(true);
  expect(isWithinWindows(new Date('2026-01-05T23:00:00Z'), [window(['mon'], '18:00', '24:00')])).toBe(false);
  expect(isWithinWindows(new Date('2026-01-06T06:59:00Z'), [window(['mon'], '08:00', '08:00')])).toBe(true);
  expect(isWithinWindows(new Date('2026-01-06T07:00:00Z'), [window(['mon'], '08:00', '08:00')])).toBe(false);
});

test('a time is allowed if one of several time windows contains it, and 00:00 belongs to the new day', () => {
  const windows = [window(['mon'], '08:00', '09:00'), window(['tue'], '00:00', '00:01', 'Pacific/Auckland')];
  expect(isWithinWindows(new Date('2026-01-05T11:00:30Z'), windows)).toBe(true);
  expect(isWithinWindows(new Date('2026-01-05T11:01:00Z'), windows)).toBe(false);
});
