import { expect, test } from 'vitest';
import { addDuration, formatDuration, parseDuration } from './durations.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['2 hours', { months: 0, ms: 2 * HOUR_MS }],
  ['15_minutes', { months: 0, ms: 15 * 60_000 }],
  ['7_days', { months: 0, ms: 7 * 24 * HOUR_MS }],
  ['36_months', { months: 36, ms: 0 }],
  ['2_hours', { months: 0, ms: 2 * HOUR_MS }],
  ['1 year', { months: 12, ms: 0 }],
  ['1 week', { months: 0, ms: 7 * 24 * HOUR_MS }],
  ['0 seconds', { months: 0, ms: 0 }],
])('the duration %s is parsed as %j', (text, expected) => {
  expect(parseDuration(text)).toEqual(expected);
});

test.each([
  '',
  '2',
  'hours',
  '-2 hours',
  '1.5 hours',
  '2  hours',
  '2 hours ',
  '2hours',
  '2 HOURS',
  '1e3 hours',
  '2 hourss',
  '2 constructors',
  '9999 years',
  '999999999 days',
])('the duration %j is refused, and the error shows the expected format', (text) => {
  expect(() => parseDuration(text)).toThrow(/is not a duration: .+ Write it as 2 hours/);
});

test('the error for a long invalid duration has at most 200 characters', () => {
  expect(() => parseDuration('x'.repeat(5000))).toThrow(/^.{0,200}$/);
});

test('parsing the output of formatDuration returns the original duration', () => {
  for (const unit of ['second', 'minute', 'hour', 'day', 'week', 'month', 'year']) {
    for (let count = 0; count <= 100; count++) {
      for (const separator of [' ', '_'] as const) {
        const duration = parseDuration(`${count}${separator}${unit}s`);
        expect(parseDuration(formatDuration(duration, separator))).toEqual(duration);
      }
    }
  }
});

test('formatDuration writes the unit in the singular after 1 and in the plural after other numbers', () => {
  expect(formatDuration(parseDuration('1 hours'))).toBe('1 hour');
  expect(formatDuration(parseDuration('2 hour'))).toBe('2 hours');
  expect(formatDuration(parseDuration('60 minutes'))).toBe('1 hour');
  expect(formatDuration(parseDuration('90 minutes'), '_')).toBe('90_minutes');
  expect(formatDuration(parseDuration('0 days'))).toBe('0 seconds');
});

test('adding months to the 31st gives the last day of a shorter month and the 31st of a longer month', () => {
  const month = parseDuration('1 month');
  const january = new Date('2027-01-31T12:00:00.000Z');
  const february = addDuration(january, month, 31);
  expect(february.toISOString()).toBe('2027-02-28T12:00:00.000Z');
  expect(addDuration(february, month, 31).toISOString()).toBe('2027-03-31T12:00:00.000Z');
  expect(addDuration(new Date('2028-02-29T00:00:00Z'), parseDuration('1 year')).toISOString()).toBe('2029-02-28T00:00:00.000Z');
});

test('adding one month several times with the same anchor day gives the same date as adding all months in one step', () => {
  for (let day = 1; day <= 31; day++) {
    const start = new Date(Date.UTC(2026, 0, day, 23, 59, 59, 999));
    let step = start;
    for (let count = 1; count <= 60; count++) {
      step = addDuration(step, { months: 1, ms: 0 }, day);
      expect(step).toEqual(addDuration(start, { months: count, ms: 0 }, day));
    }
  }
});

test('adding a duration does not change the original date', () => {
  const date = new Date('2027-01-31T00:00:00Z');
  addDuration(date, parseDuration('1 month'));
  expect(date.toISOString()).toBe('2027-01-31T00:00:00.000Z');
});
