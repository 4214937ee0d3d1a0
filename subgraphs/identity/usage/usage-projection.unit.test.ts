import { expect, test } from 'vitest';
import { projectionOf } from './usage-projection.ts';

const MINUTE_MS = 60_000;
const at = new Date('2026-01-31T09:30:00.000Z');
const after = (minutes: number, used: number, limit = 1000) =>
  projectionOf({ at, hour: { used, limit, resetAt: new Date(at.getTime() + (60 - minutes) * MINUTE_MS) }, suspendedUntil: null });

test('projected usage continues the current rate until the end of the hour', () => {
  expect(after(30, 200).endOfHour).toBe(400);
  expect(after(45, 300).endOfHour).toBe(400);
  expect(after(60, 300).endOfHour).toBe(300);
  expect(after(10, 0).endOfHour).toBe(0);
});

test('projected usage in the first minute of an hour is calculated as if a full minute had passed', () => {
  expect(after(0, 5).endOfHour).toBe(300);
  expect(after(0.5, 5).endOfHour).toBe(300);
  expect(after(1, 5).endOfHour).toBe(300);
});

test.each([
  [599, 'low'],
  [600, 'medium'],
  [799, 'medium'],
  [800, 'high'],
  [999, 'high'],
  [1000, 'critical'],
])('projected usage of %i of 1000 at the end of the hour has the risk level %s', (used, risk) => {
  expect(after(60, used).riskLevel).toBe(risk);
});

test('the risk level is low for usage without a limit, and critical for a suspended key', () => {
  expect(after(10, 1e9, Number.POSITIVE_INFINITY).riskLevel).toBe('low');
  expect(projectionOf({ at, hour: { used: 0, limit: 1, resetAt: at }, suspendedUntil: at }).riskLevel).toBe('critical');
});
