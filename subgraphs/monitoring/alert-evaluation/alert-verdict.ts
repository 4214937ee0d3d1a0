import { RISING } from '../alerts/alert.rules.ts';
import { AlertCondition } from '../alerts/alert.states.ts';
import type { Verdict } from './alert-progress.ts';

/** Condition and thresholds of an alert, with which a value is compared. */
export interface Limits {
  condition: AlertCondition;
  threshold: number | null;
  lowerThreshold: number | null;
  recoveryThreshold: number | null;
}

/** Values of an alert instance. `before` is the value of the previous window, for conditions that compare two windows. */
export interface Reading {
  /** Number of samples in the window. */
  samples: number;
  /** Aggregated value of the window. Null without samples. */
  value: number | null;
  before: number | null;
}

/** Conditions that compare a window with the previous window. */
export const COMPARING: ReadonlySet<AlertCondition> = new Set([AlertCondition.CHANGE_ABOVE, AlertCondition.CHANGE_BELOW]);

type Compare = (value: number, limit: number) => boolean;
const COMPARISONS: Readonly<Partial<Record<AlertCondition, Compare>>> = {
  [AlertCondition.ABOVE]: (value, limit) => value > limit,
  [AlertCondition.ABOVE_OR_EQUAL]: (value, limit) => value >= limit,
  [AlertCondition.BELOW]: (value, limit) => value < limit,
  [AlertCondition.BELOW_OR_EQUAL]: (value, limit) => value <= limit,
  [AlertCondition.CHANGE_ABOVE]: (value, limit) => value > limit,
  [AlertCondition.CHANGE_BELOW]: (value, limit) => value < limit,
};

/** Returns the value to compare with the thresholds, such as a change in percent. Null if it is unknown. */
export function comparedValue({ condition }: Pick<Limits, 'condition'>, { value, before }: Reading): number | null {
  if (!COMPARING.has(condition)) return value;
  if (value === null || before === null) return null;
  // a value that was zero changes by infinitely many percent
  if (before === 0) return value === 0 ? 0 : Math.sign(value) * Number.POSITIVE_INFINITY;
  return ((value - before) / Math.abs(before)) * 100;
}

/** Compares the values of an alert instance with the thresholds of the alert. */
export function verdictOf(limits: Limits, reading: Reading): Verdict {
  const { condition, threshold, lowerThreshold, recoveryThreshold } = limits;
  if (condition === AlertCondition.ABSENT) return reading.samples === 0 ? 'breach' : 'clear';
  const value = comparedValue(limits, reading);
  if (value === null || threshold === null) return 'unknown';
  if (condition === AlertCondition.OUTSIDE) return value > threshold || value < (lowerThreshold ?? threshold) ? 'breach' : 'clear';
  const meets = COMPARISONS[condition] as Compare;
  if (meets(value, threshold)) return 'breach';
  if (recoveryThreshold === null) return 'clear';
  const isBeyond = RISING.has(condition) ? value <= recoveryThreshold : value >= recoveryThreshold;
  return isBeyond ? 'clear' : 'between';
}
