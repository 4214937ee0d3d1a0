import { expect, test } from 'vitest';
import { pauseAfter } from './integration.pauses.ts';

test('pauses are three times as long each time, and an hour at most', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => pauseAfter(failures, 5000) / 1000);
  expect(seconds).toEqual([5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
});
