import { expect, test } from 'vitest';
import { DATE_RANGE_PATTERN, parseDateRange } from './date-range.ts';
import { datesBetween, isoWeek } from './days.ts';

test.each([
  ['30d', { days: 30 }],
  ['1d', { days: 1 }],
  ['366d', { days: 366 }],
  ['24h', { hours: 24 }],
  ['12w', { days: 84 }],
  ['2026-01-01..2026-01-31', { from: '2026-01-01', to: '2026-01-31' }],
  ['2024-02-29..2024-02-29', { from: '2024-02-29', to: '2024-02-29' }],
])('the date range %s is valid', (text, range) => expect(parseDateRange(text)).toEqual(range));

test.each([
  '',
  '30',
  'd',
  '0d',
  '024h',
  '367d',
  '53w',
  '-1d',
  '30 d',
  '1y',
  '2026-01-31..2026-01-01',
  '2026-02-30..2026-03-01',
  '2025-13-01..2026-01-01',
  '2024-01-01..2025-01-01',
  '0000-01-01..0000-01-02',
  '2026-01-01',
])('the date range %j is invalid', (text) => expect(parseDateRange(text)).toBeUndefined());

test('the documented pattern accepts the same numbers of hours, days and weeks as the parser', () => {
  const pattern = new RegExp(DATE_RANGE_PATTERN);
  const texts = Array.from({ length: 10_001 }, (_, count) =>
    ['h', 'd', 'w'].flatMap((unit) => [`${count}${unit}`, `0${count}${unit}`]),
  ).flat();
  expect(texts.filter((text) => pattern.test(text) !== (parseDateRange(text) !== undefined))).toEqual([]);
});

test('datesBetween lists every date across month ends and leap days', () => {
  expect(datesBetween('2024-02-27', '2024-03-01')).toEqual(['2024-02-27', '2024-02-28', '2024-02-29', '2024-03-01']);
  expect(datesBetween('2024-02-27', '2024-02-27')).toEqual(['2024-02-27']);
});

test.each([
  ['2026-01-01', '2026-W01'],
  ['2025-12-29', '2026-W01'],
  ['2025-12-28', '2025-W52'],
  ['2027-01-03', '2026-W53'],
  ['2027-01-04', '2027-W01'],
  ['2024-12-30', '2025-W01'],
  ['2021-01-03', '2020-W53'],
])('the date %s is in ISO week %s', (date, week) => expect(isoWeek(date)).toBe(week));
