import { expect, test } from 'vitest';
import { pauseAfter } from './integration.pauses.ts';

const now = new Date('2026-01-31T09:30:00.000Z');
const seconds = (failures: number, afterMs: number, random = 0): number =>
  (pauseAfter(failures, 5000, afterMs, now, () => random).getTime() - now.getTime()) / 1000;

test('pauses are three times as long each time, and an hour at most', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => seconds(failures, 0))).toEqual([5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
});

test('chance makes them longer by a tenth at most', () => {
  expect(seconds(1, 0, 1)).toBe(5.5);
});

test('what the remote asks for counts where it is longer, up to a day', () => {
  expect([seconds(1, 60_000), seconds(1, 1000), seconds(1, 1e12)]).toEqual([60, 5, 86_400]);
});
