import { expect, test } from 'vitest';
import { pauseAfter, retryAfterMs, retryAt } from './backoff.ts';

const NOW = new Date('2026-01-31T09:30:00Z');
const DAY_MS = 86_400_000;

const waitMs = (pauseMs: number, askedMs?: number, random?: () => number): number =>
  retryAt(NOW, pauseMs, askedMs, random).getTime() - NOW.getTime();

test('each retry pause is the previous pause multiplied by the factor, up to the maximum', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 100_000].map(
    (failures) => pauseAfter(failures, { firstMs: 5000, factor: 3, maxMs: 3_600_000 }) / 1000,
  );
  expect(seconds).toEqual([5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
});

test('jitter changes a retry pause by at most a tenth', () => {
  expect(waitMs(300_000, 0, () => 0)).toBe(270_000);
  expect(waitMs(300_000, 0, () => 1)).toBe(330_000);
});

test('a retry waits for the longer of two delays: the scheduled pause (plus or minus 10%) and Retry-After (at most a day)', () => {
  // pauses from a millisecond to a day, and Retry-After values from zero to beyond the range of Date
  for (let round = 0; round < 2000; round += 1) {
    const pauseMs = Math.ceil(DAY_MS ** Math.random());
    const askedMs = round % 3 === 0 ? 0 : 10 ** (310 * Math.random());
    const least = Math.max(pauseMs * 0.9, Math.min(askedMs, DAY_MS));
    const most = Math.max(pauseMs * 1.1, Math.min(askedMs, DAY_MS));
    const wait = waitMs(pauseMs, askedMs);
    const seen = `pause ${pauseMs}, asked ${askedMs}, wait ${wait}`;
    expect(wait >= Math.floor(least) && wait <= Math.ceil(most), seen).toBe(true);
  }
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
])('Retry-After %j is parsed as %i ms', (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected);
});
