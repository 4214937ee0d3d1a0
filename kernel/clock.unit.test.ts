import { expect, test } from 'vitest';
import { TestClock } from './clock.ts';

test('a test clock continues to run from its new time after it is set and advanced', () => {
  const clock = new TestClock();
  clock.set(new Date('2030-01-31T00:00:00.000Z'));
  clock.advance(60_000);

  const elapsed = clock.now().getTime() - Date.parse('2030-01-31T00:01:00.000Z');
  expect(elapsed).toBeGreaterThanOrEqual(0);
  expect(elapsed).toBeLessThan(5_000);
});

test('a listener of a test clock is called at each change of the time until the listener unsubscribes', () => {
  const clock = new TestClock();
  const seen: number[] = [];
  const forget = clock.onMoved(() => seen.push(clock.offsetMs));
  clock.advance(60_000);
  clock.advance(-20_000);
  forget();
  clock.advance(1);
  expect(seen).toEqual([60_000, 40_000]);
});
