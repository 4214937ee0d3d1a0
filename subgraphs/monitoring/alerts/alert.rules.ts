import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { AlertCondition } from './alert.states.ts';

/**
 * Maximum number of evaluations of an alert during one window. A longer window therefore has a longer interval, because it costs more to
 * read.
 */
const EVALUATIONS_PER_WINDOW = 120;

/** Settings of an alert that are validated together. */
export interface AlertSettings {
  condition?: AlertCondition | undefined;
  threshold?: number | null | undefined;
  lowerThreshold?: number | null | undefined;
  recoveryThreshold?: number | null | undefined;
  windowSeconds?: number | undefined;
  intervalSeconds?: number | null | undefined;
  labels?: readonly (string | null)[] | null | undefined;
  groupBy?: readonly (string | null)[] | null | undefined;
}

/** Conditions that are met by values above the threshold. */
export const RISING: ReadonlySet<AlertCondition> = new Set([
  AlertCondition.ABOVE,
  AlertCondition.ABOVE_OR_EQUAL,
  AlertCondition.CHANGE_ABOVE,
]);

/** Returns an object in which each threshold that the condition does not use is null. */
export function unusedLimits(condition: AlertCondition): Partial<Record<'threshold' | 'lowerThreshold' | 'recoveryThreshold', null>> {
  if (condition === AlertCondition.ABSENT) return { threshold: null, lowerThreshold: null, recoveryThreshold: null };
  return condition === AlertCondition.OUTSIDE ? { recoveryThreshold: null } : { lowerThreshold: null };
}

/** Returns the shortest allowed interval for a window, in seconds. */
export const leastInterval = (windowSeconds: number): number => Math.ceil(windowSeconds / EVALUATIONS_PER_WINDOW);

/** Lists the problems of the settings of an alert. Settings that are undefined are not checked. */
export function settingProblems(settings: AlertSettings): FieldProblem[] {
  const { windowSeconds, intervalSeconds, labels, groupBy } = settings;
  const names = labels?.map((label) => label?.split('=')[0] ?? null);
  const least = windowSeconds === undefined ? 0 : leastInterval(windowSeconds);
  return [
    ...thresholdProblems(settings),
    ...(typeof intervalSeconds === 'number' && intervalSeconds < least
      ? [{ field: 'intervalSeconds', value: intervalSeconds, reason: `must be at least ${least} for a window of ${windowSeconds} seconds` }]
      : []),
    ...repeated('labels', names, labels),
    ...repeated('groupBy', groupBy, groupBy),
  ];
}

function thresholdProblems({ condition, threshold, lowerThreshold, recoveryThreshold }: AlertSettings): FieldProblem[] {
  if (condition === undefined) return [];
  const isGiven = (value: number | null | undefined): value is number => typeof value === 'number';
  const none = (field: string, value: number | null | undefined): FieldProblem[] =>
    isGiven(value) ? [{ field, value, reason: `must be omitted for the condition ${condition}` }] : [];
  const missing = (field: string): FieldProblem => ({ field, reason: `is required for the condition ${condition}` });
  if (condition === AlertCondition.ABSENT)
    return [...none('threshold', threshold), ...none('lowerThreshold', lowerThreshold), ...none('recoveryThreshold', recoveryThreshold)];
  const required = isGiven(threshold) ? [] : [missing('threshold')];
  if (condition !== AlertCondition.OUTSIDE)
    return [...required, ...none('lowerThreshold', lowerThreshold), ...recoveryProblems(condition, threshold, recoveryThreshold)];
  const isReversed = isGiven(threshold) && isGiven(lowerThreshold) && lowerThreshold >= threshold;
  return [
    ...required,
    ...(isGiven(lowerThreshold) ? [] : [missing('lowerThreshold')]),
    ...(isReversed ? [{ field: 'lowerThreshold', value: lowerThreshold, reason: 'must be below threshold' }] : []),
    ...none('recoveryThreshold', recoveryThreshold),
  ];
}

function recoveryProblems(
  condition: AlertCondition,
  threshold: number | null | undefined,
  recovery: number | null | undefined,
): FieldProblem[] {
  if (typeof threshold !== 'number' || typeof recovery !== 'number') return [];
  const isRising = RISING.has(condition);
  if (isRising ? recovery <= threshold : recovery >= threshold) return [];
  return [
    {
      field: 'recoveryThreshold',
      value: recovery,
      reason: `must not be ${isRising ? 'above' : 'below'} threshold for the condition ${condition}`,
    },
  ];
}

/** Returns a problem for each list entry that repeats an earlier entry. */
function repeated(
  field: string,
  keys: readonly (string | null)[] | null | undefined,
  items: readonly (string | null)[] | null | undefined,
): FieldProblem[] {
  const names = keys ?? [];
  return names.flatMap((key, index) =>
    key !== null && names.indexOf(key) < index
      ? [{ field: `${field}.${index}`, value: items?.[index], reason: 'repeats the name of a label' }]
      : [],
  );
}
