import { expect, test } from 'vitest';
import { Pressure } from './pressure.ts';

/** Creates a pressure gauge whose event loop was busy for the given share of the last 200 ms. */
function pressureAt(share: number, requests: number): Pressure {
  let now = 0;
  const pressure = new Pressure(
    () => ({ idle: 1 - share, active: share, utilization: share }),
    () => now,
  );
  pressure.requests = requests;
  now += 200;
  return pressure;
}

test('the pressure is high if many requests are running and the event loop is hardly ever idle', () => {
  expect(pressureAt(0.95, 16).isHigh).toBe(true);
});

test('the pressure is not high if many requests wait for the database and the event loop is idle', () => {
  expect(pressureAt(0.5, 16).isHigh).toBe(false);
});

test('the pressure is not high if only jobs keep the event loop busy', () => {
  expect(pressureAt(1, 2).isHigh).toBe(false);
});

test('the pressure ends as soon as few requests are running', () => {
  const pressure = pressureAt(0.95, 16);
  expect(pressure.isHigh).toBe(true);
  pressure.requests = 0;
  expect(pressure.isHigh).toBe(false);
});
