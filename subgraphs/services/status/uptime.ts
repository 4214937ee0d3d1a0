import { ServiceStatus } from '../inventory/service.states.ts';

const DIGITS = 3;

/** A change of a service's status. */
export interface Change {
  to: ServiceStatus;
  at: Date;
}

/**
 * Computes the percentage of time between `since` and `now` in which a service was up. Degraded counts as up, and
 * planned maintenance does not count at all. `before` is the status at the time `since`. `changes` are ordered from
 * oldest to newest. Returns null if no part of this time counts.
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
