import { expect, test } from 'vitest';
import { dayStart, hourStart, isDate, monthStart } from './days.ts';

const at = (text: string): Date => new Date(text);

test('dayStart, hourStart and monthStart return the start of the day, hour or month in UTC, also before 1970', () => {
  expect(dayStart(at('2026-01-31T23:59:59.999Z'))).toEqual(at('2026-01-31T00:00:00.000Z'));
  expect(dayStart(at('2026-01-01T00:00:00.000Z'), -1)).toEqual(at('2025-12-31T00:00:00.000Z'));
  expect(dayStart(at('1969-12-31T12:00:00.000Z'))).toEqual(at('1969-12-31T00:00:00.000Z'));
  expect(hourStart(at('2026-01-31T23:59:59.999Z'))).toEqual(at('2026-01-31T23:00:00.000Z'));
  expect(monthStart(at('2026-12-31T23:59:59.999Z'), 1)).toEqual(at('2027-01-01T00:00:00.000Z'));
  expect(monthStart(at('2026-03-31T00:00:00.000Z'), -1)).toEqual(at('2026-02-01T00:00:00.000Z'));
});

test.each([
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['0000-01-01', false],
  ['2026-1-1', false],
  ['2026-01-01T00:00:00Z', false],
])('isDate for the text %s returns %s', (text, expected) => {
  expect(isDate(text)).toBe(expected);
});
