import { expect, test } from 'vitest';
import { retryAfterMs, spread } from './retry-after.ts';

const middle = (): number => 0.5;

test('chance moves a pause by a tenth at most', () => {
  expect(spread(300_000, 0, () => 0)).toBe(270_000);
  expect(spread(300_000, 0, () => 1)).toBe(330_000);
});

test('a remote can ask for more time, up to a day, and not for less', () => {
  expect(spread(5000, 60_000, middle)).toBe(60_000);
  expect(spread(5000, 1000, middle)).toBe(5000);
  expect(spread(5000, 1e12, middle)).toBe(86_400_000);
});

test.each([
  ['120', 120_000],
  [' 5 ', 5000],
  ['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
  ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
  ['', 0],
  [undefined, 0],
])('Retry-After %j is %i ms', (header, expected) => {
  expect(retryAfterMs(header, new Date('2026-01-31T09:30:00Z'))).toBe(expected);
});
