import { ServiceStatus } from '../inventory/service.states.ts';

const DIGITS = 3;

/** A change of status, as far as uptime cares. */
export interface Change {
  to: ServiceStatus;
  at: Date;
}

/**
 * How much of the time from `since` to `now` a service was up, in percent: degraded counts as up, planned maintenance
 * counts neither way. `before` is its status at `since`; `changes` those around it and after it, oldest first. Null where no time counts.
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
