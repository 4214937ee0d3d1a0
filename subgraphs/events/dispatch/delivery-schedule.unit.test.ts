import { expect, test } from 'vitest';
import { MAX_ATTEMPTS, pauseAfter } from './delivery-schedule.ts';

test('a failing delivery has ten attempts, with pauses from 5 seconds up to 24 hours', () => {
  const minutes = Array.from({ length: MAX_ATTEMPTS }, (_, index) => pauseAfter(index + 1)).map((ms) => ms && ms / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, undefined]);
});
