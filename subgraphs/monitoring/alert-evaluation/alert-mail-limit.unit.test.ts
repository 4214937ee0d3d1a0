import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { Alert } from '../alerts/alert.entity.ts';
import { AlertReason, AlertState, AlertSuppression } from '../alerts/alert.states.ts';
import { AlertInstance } from '../alerts/alert-instance.entity.ts';
import type { InstanceStep, Notification } from './alert-instances.ts';
import { mailStep } from './alert-mail-limit.ts';

const NOW = new Date('2026-01-31T14:30:00.000Z');
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const NEVER = () => null;

const alertWith = (more: Partial<Alert>): Alert =>
  Object.assign(new Alert(), { id: 'alrt_1', organizationId: 'org_1', notify: ['a@example.com', 'b@example.com'] }, more);

const step = (state: AlertState, notification: Notification | null, host = 'a'): InstanceStep => {
  const instance = Object.assign(new AlertInstance(), { state, labels: { host }, value: 1 });
  return { instance, isNew: false, isChanged: true, from: state, reason: AlertReason.VALUE, notification, suppressedBy: null };
};
const FIRING = step(AlertState.FIRING, 'firing', 'a');
const RESOLVED = step(AlertState.OK, 'resolved', 'b');
const STAYS = step(AlertState.FIRING, null, 'c');

test('of two mails that are due when one is left, the first is sent and says so, and the second is held', () => {
  const alert = alertWith({ mailHourAt: ago(1000), mailsSent: 9 });
  const result = mailStep(alert, [FIRING, RESOLVED], NEVER, NOW);
  expect(result).toMatchObject({ mailHourAt: ago(1000), mailsSent: 10, mailsHeld: 1 });
  const pausedUntil = new Date(NOW.getTime() - 1000 + HOUR_MS).toISOString();
  expect(result?.mails.map(({ to, kind, pausedUntil: until }) => [to, kind, until])).toEqual([
    ['a@example.com', 'firing', pausedUntil],
    ['b@example.com', 'firing', pausedUntil],
  ]);
});

test('the hour begins with its first mail, and ends exactly after 60 minutes', () => {
  const full = (age: number) => alertWith({ mailHourAt: ago(age), mailsSent: 10 });
  expect(mailStep(full(HOUR_MS - 1), [FIRING], NEVER, NOW)).toMatchObject({ mails: [], mailsSent: 10, mailsHeld: 1 });
  expect(mailStep(full(HOUR_MS), [FIRING], NEVER, NOW)).toMatchObject({ mailHourAt: NOW, mailsSent: 1, mailsHeld: 0 });
  expect(mailStep(full(HOUR_MS), [STAYS], NEVER, NOW)).toEqual({ mailHourAt: null, mailsSent: 0, mailsHeld: 0, mails: [] });
});

test('a mail about the present state replaces the mails that are due, and lists all instances that fire', () => {
  const alert = alertWith({ mailHourAt: ago(HOUR_MS), mailsSent: 10, mailsHeld: 4 });
  const result = mailStep(alert, [FIRING, RESOLVED, STAYS], NEVER, NOW);
  expect(result).toMatchObject({ mailHourAt: NOW, mailsSent: 1, mailsHeld: 0 });
  expect(result?.mails).toHaveLength(2);
  expect(result?.mails[0]).toMatchObject({
    kind: 'firing',
    held: 4,
    total: 2,
    instances: [{ labels: { host: 'a' } }, { labels: { host: 'c' } }],
  });
});

test('a mail about the present state waits while nobody is to be notified of what fires', () => {
  const alert = alertWith({ mailHourAt: ago(2 * HOUR_MS), mailsSent: 10, mailsHeld: 4 });
  const waiting = { mailHourAt: ago(2 * HOUR_MS), mailsSent: 10, mailsHeld: 4, mails: [] };
  expect(mailStep(alert, [STAYS], () => AlertSuppression.MAINTENANCE, NOW)).toEqual(waiting);
  expect(mailStep(alert, [STAYS], () => undefined, NOW)).toBeUndefined();
  expect(mailStep(alert, [], () => AlertSuppression.SILENCE, NOW)?.mails[0]).toMatchObject({ kind: 'resolved', held: 4, total: 0 });
});
