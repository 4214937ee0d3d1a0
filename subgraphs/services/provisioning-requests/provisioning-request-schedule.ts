import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import type { Valid } from '../../../kernel/graphql/rule.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { addDuration, InvalidDuration, parseDuration } from '../../../kernel/values/durations.ts';
import type { DeploymentSchedule } from './provisioning-request.values.ts';

const YEAR = { months: 12, ms: 0 };

/**
 * Lists the problems of a schedule. `preferredDate` must be between today and one year from now. `flexibility` must be
 * a duration of at most one year.
 */
export const scheduleProblems = ({ preferredDate, flexibility }: Valid<DeploymentSchedule>, now: Date): FieldProblem[] => [
  ...(preferredDate ? dateProblems(preferredDate, now) : []),
  ...(flexibility ? flexibilityProblems(flexibility, preferredDate ?? now) : []),
];

function dateProblems(value: Date, now: Date): FieldProblem[] {
  if (value >= dayStart(now) && value <= addDuration(now, YEAR)) return [];
  return [{ field: 'preferredDate', value, reason: 'must be today or within a year' }];
}

function flexibilityProblems(value: string, from: Date): FieldProblem[] {
  const field = 'flexibility';
  try {
    return addDuration(from, parseDuration(value)) <= addDuration(from, YEAR) ? [] : [{ field, value, reason: 'must be at most a year' }];
  } catch (error) {
    if (error instanceof InvalidDuration) return [{ field, value, reason: `must be a duration such as 7_days: ${error.message}` }];
    throw error;
  }
}
