import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../kernel/retry-after.ts';
import { MAX_ATTEMPTS, pauseAfter } from './delivery.schedule.ts';

const middle = (): number => 0.5;

test('ten attempts, at the pauses that the documentation promises', () => {
  const minutes = Array.from({ length: MAX_ATTEMPTS }, (_, index) => pauseAfter(index + 1, 0, middle)).map((ms) => ms && ms / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, undefined]);
});

test('chance moves a pause by a tenth at most', () => {
  expect(pauseAfter(2, 0, () => 0)).toBe(270_000);
  expect(pauseAfter(2, 0, () => 1)).toBe(330_000);
});

test('a receiver can ask for more time, up to a day, and not for less', () => {
  expect(pauseAfter(1, 60_000, middle)).toBe(60_000);
  expect(pauseAfter(1, 1000, middle)).toBe(5000);
  expect(pauseAfter(1, 1e12, middle)).toBe(86_400_000);
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
