import { expect, test } from 'vitest';
import { ServiceStatus } from '../inventory/service.states.ts';
import { uptimePercentage } from './uptime.ts';

const { OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, PROVISIONING } = ServiceStatus;
const hour = (count: number): Date => new Date(Date.UTC(2026, 0, 1) + count * 3_600_000);
const change = (to: ServiceStatus, at: number) => ({ to, at: hour(at) });

test('a service that stayed operational was up all the time', () => {
  expect(uptimePercentage(OPERATIONAL, [], hour(0), hour(100))).toBe(100);
});

test('an hour down of four is 75 percent', () => {
  expect(uptimePercentage(OPERATIONAL, [change(DOWN, 1), change(OPERATIONAL, 2)], hour(0), hour(4))).toBe(75);
});

test('degraded counts as up, maintenance counts neither way', () => {
  const changes = [change(DEGRADED, 1), change(OPERATIONAL, 2), change(MAINTENANCE, 2), change(OPERATIONAL, 8), change(DOWN, 9)];
  expect(uptimePercentage(OPERATIONAL, changes, hour(0), hour(10))).toBe(75);
});

test('the time before it was provisioned does not count', () => {
  expect(uptimePercentage(PROVISIONING, [change(OPERATIONAL, 9)], hour(0), hour(10))).toBe(100);
});

test('what was before the time that is asked about does not count', () => {
  expect(uptimePercentage(DOWN, [change(OPERATIONAL, 1), change(DOWN, 2), change(OPERATIONAL, 3)], hour(2), hour(6))).toBe(75);
});

test('without any time that counts there is no percentage', () => {
  expect(uptimePercentage(OPERATIONAL, [], hour(5), hour(5))).toBeNull();
  expect(uptimePercentage(PROVISIONING, [], hour(0), hour(5))).toBeNull();
});
