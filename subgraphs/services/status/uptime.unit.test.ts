import { expect, test } from 'vitest';
import { ServiceStatus } from '../inventory/service.states.ts';
import { uptimePercentage } from './uptime.ts';

const { OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, PROVISIONING } = ServiceStatus;
const hour = (count: number): Date => new Date(Date.UTC(2026, 0, 1) + count * 3_600_000);
const change = (to: ServiceStatus, at: number) => ({ to, at: hour(at) });

test('a service that stayed operational has an uptime of 100 percent', () => {
  expect(uptimePercentage(OPERATIONAL, [], hour(0), hour(100))).toBe(100);
});

test('a service that was down one of four hours has an uptime of 75 percent', () => {
  expect(uptimePercentage(OPERATIONAL, [change(DOWN, 1), change(OPERATIONAL, 2)], hour(0), hour(4))).toBe(75);
});

test('degraded time counts as uptime, and maintenance time is left out of the uptime percentage', () => {
  const changes = [change(DEGRADED, 1), change(OPERATIONAL, 2), change(MAINTENANCE, 2), change(OPERATIONAL, 8), change(DOWN, 9)];
  expect(uptimePercentage(OPERATIONAL, changes, hour(0), hour(10))).toBe(75);
});

test('time before the service is provisioned is left out of the uptime percentage', () => {
  expect(uptimePercentage(PROVISIONING, [change(OPERATIONAL, 9)], hour(0), hour(10))).toBe(100);
});

test('time before the requested period is left out of the uptime percentage', () => {
  expect(uptimePercentage(DOWN, [change(OPERATIONAL, 1), change(DOWN, 2), change(OPERATIONAL, 3)], hour(2), hour(6))).toBe(75);
});

test('the uptime is null if the period is empty or the service was never provisioned in the period', () => {
  expect(uptimePercentage(OPERATIONAL, [], hour(5), hour(5))).toBeNull();
  expect(uptimePercentage(PROVISIONING, [], hour(0), hour(5))).toBeNull();
});
