import { AlertNoData, AlertState, isAlarming } from '../alerts/alert.states.ts';

/**
 * Result of comparing a value with the limits of an alert. `breach`: the condition is met. `clear`: the condition is not met, and the value
 * is beyond the recovery threshold. `between`: the value is between both limits. `unknown`: there are no samples.
 */
export type Verdict = 'breach' | 'between' | 'clear' | 'unknown';

/** Settings of an alert that determine its state transitions. */
export interface ProgressSettings {
  windowSeconds: number;
  forSeconds: number;
  recoverForSeconds: number;
  noData: AlertNoData;
}

/** State of an alert instance that is not OK, and the times that determine its next state. */
export interface Progress {
  state: AlertState;
  pendingSince: Date | null;
  recoveringSince: Date | null;
  noDataSince: Date | null;
}

/** Number of consecutive windows without samples after which a firing instance resolves. */
const WINDOWS_WITHOUT_DATA = 2;

/** Returns the next state of an alert instance after an evaluation. In the parameter and in the result, null means OK. */
export function progressOf(settings: ProgressSettings, before: Progress | null, found: Verdict, now: Date): Progress | null {
  const verdict = found === 'unknown' ? UNKNOWN[settings.noData] : found;
  return before && isAlarming(before.state) ? whileAlarming(settings, before, verdict, now) : whileCalm(settings, before, verdict, now);
}

const UNKNOWN: Readonly<Record<AlertNoData, Verdict>> = {
  [AlertNoData.OK]: 'clear',
  [AlertNoData.NO_DATA]: 'unknown',
  [AlertNoData.FIRING]: 'breach',
};

const NO_TIMES = { pendingSince: null, recoveringSince: null, noDataSince: null };
const isPast = (since: Date, seconds: number, now: Date): boolean => now.getTime() - since.getTime() >= seconds * 1000;

function whileCalm({ forSeconds }: ProgressSettings, before: Progress | null, verdict: Verdict, now: Date): Progress | null {
  if (verdict === 'unknown') return { ...NO_TIMES, state: AlertState.NO_DATA };
  if (verdict !== 'breach') return null;
  const pendingSince = before?.pendingSince ?? now;
  const state = isPast(pendingSince, forSeconds, now) ? AlertState.FIRING : AlertState.PENDING;
  return { ...NO_TIMES, state, pendingSince };
}

function whileAlarming(
  { windowSeconds, recoverForSeconds }: ProgressSettings,
  before: Progress,
  verdict: Verdict,
  now: Date,
): Progress | null {
  if (verdict === 'unknown') {
    const noDataSince = before.noDataSince ?? now;
    const isOver = isPast(noDataSince, WINDOWS_WITHOUT_DATA * windowSeconds, now);
    return isOver ? { ...NO_TIMES, state: AlertState.NO_DATA } : { ...before, noDataSince };
  }
  const { pendingSince } = before;
  if (verdict !== 'clear') return { ...NO_TIMES, state: AlertState.FIRING, pendingSince };
  const recoveringSince = before.recoveringSince ?? now;
  if (isPast(recoveringSince, recoverForSeconds, now)) return null;
  return { ...NO_TIMES, state: AlertState.RECOVERING, pendingSince, recoveringSince };
}
