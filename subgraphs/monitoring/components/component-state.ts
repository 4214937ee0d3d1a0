import { ComponentName, ComponentStatus } from './component.states.ts';

const { OPERATIONAL, DEGRADED, DOWN, UNKNOWN } = ComponentStatus;

/** Time between two checks of a component. */
export const CHECK_MS = 15_000;
/** Age of the last check from which on the status of a component is unknown. */
export const STALE_MS = 4 * CHECK_MS;
/** Number of successive checks with another result after which the status changes, so that one slow response does not change it. */
const CHECKS_TO_CHANGE = 2;

/** The result of a successful check of a component. A check that fails throws an error. */
export interface Measured {
  /** The measured time in seconds: a response time, or for how long the oldest work has been waiting. */
  seconds: number;
  /** True if a part of the component does not work. Default: false. */
  isImpaired?: boolean;
}

/** The measured time in seconds from which on a component is degraded or down. Without `down`, only a failed check means down. */
interface Threshold {
  degraded: number;
  down?: number;
}

const WAITING: Threshold = { degraded: 60, down: 600 };

const THRESHOLDS: Readonly<Record<ComponentName, Threshold>> = {
  [ComponentName.API]: { degraded: 1 },
  [ComponentName.GRAPH]: { degraded: 2 },
  [ComponentName.WEBHOOKS]: WAITING,
  [ComponentName.JOBS]: WAITING,
  [ComponentName.DATABASE]: { degraded: 1 },
};

/** The stored state of a component. All fields are null before the first check. */
export interface ComponentState {
  status: Exclude<ComponentStatus, ComponentStatus.UNKNOWN> | null;
  since: Date | null;
  checkedAt: Date | null;
  /** The measured time of the last check, rounded to milliseconds. Null if the check failed. */
  seconds: number | null;
  /** Number of last checks with another result than `status`. */
  differingChecks: number;
  /** Time of the first of these checks. */
  differingSince: Date | null;
}

/** Returns what one check says about a component. `measured` is null if the check failed. */
export function statusOf(name: ComponentName, measured: Measured | null): NonNullable<ComponentState['status']> {
  if (!measured) return DOWN;
  const { seconds, isImpaired = false } = measured;
  const { degraded, down = Number.POSITIVE_INFINITY } = THRESHOLDS[name];
  if (seconds >= down) return DOWN;
  return isImpaired || seconds >= degraded ? DEGRADED : OPERATIONAL;
}

/**
 * Returns the state of a component after a check. The status changes when two successive checks differ from it, since the first of them.
 * After a time without checks, during which the status was unknown, the first check sets the status.
 */
export function nextState(name: ComponentName, state: ComponentState, measured: Measured | null, now: Date): ComponentState {
  const found = statusOf(name, measured);
  const checked = { checkedAt: now, seconds: measured && Math.round(1000 * measured.seconds) / 1000 };
  const agrees = { ...checked, differingChecks: 0, differingSince: null };
  if (isStale(state, now)) return { ...agrees, status: found, since: now };
  if (found === state.status) return { ...agrees, status: found, since: state.since };
  const differingSince = state.differingSince ?? now;
  const differingChecks = state.differingChecks + 1;
  if (differingChecks >= CHECKS_TO_CHANGE) return { ...agrees, status: found, since: differingSince };
  return { ...checked, status: state.status, since: state.since, differingChecks, differingSince };
}

/** Returns the status of a component for readers. If the last check is too old, the status is unknown since this check. */
export function shownState(state: ComponentState, now: Date): { status: ComponentStatus; since: Date | null; seconds: number | null } {
  if (state.status === null || isStale(state, now)) return { status: UNKNOWN, since: state.checkedAt, seconds: null };
  return { status: state.status, since: state.since, seconds: state.seconds };
}

const isStale = ({ checkedAt }: ComponentState, now: Date): boolean =>
  checkedAt === null || Math.abs(now.getTime() - checkedAt.getTime()) > STALE_MS;
