import { ServiceStatus } from '../inventory/service.states.ts';

const DIGITS = 3;

/** A change of a service's status. */
export interface Change {
  to: ServiceStatus;
  at: Date;
}

/**
 * Computes the percentage of the time from `since` to `now` in which a service was up. Operational and degraded count as up. Only `DOWN`
 * counts as not up. Times with any other status, such as planned maintenance, are left out of the calculation. `before` is the status at
 * the time `since`. `changes` are ordered from oldest to newest. Returns null if no time is left.
 */
export function uptimePercentage(before: ServiceStatus, changes: readonly Change[], since: Date, now: Date): number | null {
  let status = before;
  let from = since;
  let upMs = 0;
  let downMs = 0;
  for (const { to, at } of [...changes, { to: status, at: now }]) {
    const ms = Math.max(0, at.getTime() - from.getTime());
    if (status === ServiceStatus.OPERATIONAL || status === ServiceStatus.DEGRADED) upMs += ms;
    if (status === ServiceStatus.DOWN) downMs += ms;
    status = to;
    from = at > since ? at : since;
  }
  return upMs + downMs === 0 ? null : Number(((100 * upMs) / (upMs + downMs)).toFixed(DIGITS));
}
