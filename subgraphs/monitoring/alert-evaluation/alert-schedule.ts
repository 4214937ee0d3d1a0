import { createHash } from 'node:crypto';

/**
 * Returns the next time after `now` at which an alert is evaluated. The evaluation times are multiples of the interval, shifted by an
 * offset that depends on the alert. So the alerts of an organization are not all due in the same second.
 */
export function nextEvaluation(id: string, intervalSeconds: number, now: Date): Date {
  const interval = intervalSeconds * 1000;
  const offset = createHash('sha256').update(id).digest().readUInt32BE(0) % interval;
  const periods = Math.floor((now.getTime() - offset) / interval) + 1;
  return new Date(periods * interval + offset);
}
