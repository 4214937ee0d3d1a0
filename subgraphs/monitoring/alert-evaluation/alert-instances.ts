import { newId } from '../../../kernel/records/ids.ts';
import type { Alert } from '../alerts/alert.entity.ts';
import { AlertReason, AlertState, type AlertSuppression, isAlarming } from '../alerts/alert.states.ts';
import { AlertInstance } from '../alerts/alert-instance.entity.ts';
import type { Labels } from '../series/series.ts';
import { digestOf, labelsText } from '../series/series.ts';
import { type Progress, progressOf } from './alert-progress.ts';
import { comparedValue, type Reading, verdictOf } from './alert-verdict.ts';

/** Service and labels that identify an instance of an alert. */
export interface InstanceKey {
  serviceId: string | null;
  labels: Labels;
}

/** Kind of notification about an alert instance. */
export type Notification = 'firing' | 'repeated' | 'resolved';

/** Result of the evaluation of one alert instance. */
export interface InstanceStep {
  /** The instance after the evaluation. The state OK means that its row is deleted. */
  instance: AlertInstance;
  isNew: boolean;
  isChanged: boolean;
  /** State of the instance before the evaluation. */
  from: AlertState;
  reason: AlertReason;
  notification: Notification | null;
  suppressedBy: AlertSuppression | null;
}

/**
 * Returns the reason why no notification is sent for an instance. Undefined if the platform must first look up whether its service is in
 * maintenance.
 */
export type Suppression = (key: InstanceKey) => AlertSuppression | null | undefined;

/** Returns a hash of service and labels, which identifies an instance of an alert. */
export const instanceDigest = ({ serviceId, labels }: InstanceKey): string => digestOf(serviceId, labelsText(labels)).toString('hex');

/**
 * Returns the result of the evaluation for an instance. `before` is null if the instance was OK, and `reading` is null if its series do not
 * exist any more. The result is null if the instance was OK and stays OK. It is undefined if the platform must first look up whether the
 * service is in maintenance.
 */
export function stepOf(
  alert: Alert,
  key: InstanceKey,
  before: AlertInstance | null,
  reading: Reading | null,
  suppression: Suppression,
  now: Date,
): InstanceStep | null | undefined {
  const verdict = reading && verdictOf(alert, reading);
  const progress = verdict && progressOf(alert, before, verdict, now);
  if (!before && !progress) return null;
  const from = before?.state ?? AlertState.OK;
  const instance = moved(before ?? newInstance(alert, key, now), from, progress, reading && comparedValue(alert, reading), now);
  const notification = notificationOf(alert, before, instance, now);
  // the end of an alert of which people know is also told during a silence
  const suppressedBy = notification === null || notification === 'resolved' ? null : suppression(key);
  if (suppressedBy === undefined) return undefined;
  const sent = suppressedBy === null ? notification : null;
  if (sent === 'firing' || sent === 'repeated') instance.notifiedAt = now;
  if (sent === 'resolved') instance.notifiedAt = null;
  const isChanged = !before || CHANGING.some((name) => !isSame(before[name], instance[name]));
  const reason = verdict === null ? AlertReason.SERIES_GONE : verdict === 'unknown' ? AlertReason.NO_DATA : AlertReason.VALUE;
  return { instance, isNew: !before, isChanged, from, reason, notification: sent, suppressedBy };
}

const CHANGING = ['state', 'value', 'pendingSince', 'recoveringSince', 'noDataSince', 'notifiedAt'] as const;
const isSame = (one: unknown, other: unknown): boolean => String(one) === String(other);

function newInstance({ id: alertId, organizationId }: Alert, key: InstanceKey, now: Date): AlertInstance {
  const known = { id: newId('alertInstance'), organizationId, alertId, digest: instanceDigest(key), state: AlertState.OK, since: now };
  return Object.assign(new AlertInstance(), key, known, { sequence: 0, createdAt: now });
}

/** Returns a copy of an alert instance with its next state. */
function moved(before: AlertInstance, from: AlertState, progress: Progress | null, value: number | null, now: Date): AlertInstance {
  const state = progress?.state ?? AlertState.OK;
  const times = progress ?? { pendingSince: null, recoveringSince: null, noDataSince: null };
  const after = Object.assign(new AlertInstance(), before, times, { state, value });
  if (state === from) return after;
  after.since = now;
  after.sequence = before.sequence + 1;
  if (isAlarming(state) !== isAlarming(from)) {
    after.firedAt = isAlarming(state) ? now : null;
    after.acknowledgedAt = null;
    after.acknowledgedBy = null;
  }
  return after;
}

/** Returns the notification that is due after an evaluation, without regard to suppression. Null if no notification is due. */
function notificationOf(alert: Alert, before: AlertInstance | null, after: AlertInstance, now: Date): Notification | null {
  const { state, acknowledgedAt, notifiedAt } = after;
  if (before && isAlarming(before.state) && !isAlarming(state)) return before.notifiedAt ? 'resolved' : null;
  if (state !== AlertState.FIRING || acknowledgedAt !== null) return null;
  if (notifiedAt === null) return 'firing';
  const { repeatEverySeconds } = alert;
  const isDue = repeatEverySeconds !== null && now.getTime() - notifiedAt.getTime() >= repeatEverySeconds * 1000;
  return isDue ? 'repeated' : null;
}
