import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { addDuration, InvalidDuration, parseDuration } from '../../../kernel/values/durations.ts';
import type { DeploymentSchedule } from './provisioning-request.values.ts';

const YEAR = { months: 12, ms: 0 };

/** @throws InvalidParameters for a date before today or more than a year ahead, and for a flexibility that is no duration of at most a year */
export function checkSchedule({ preferredDate, flexibility }: DeploymentSchedule, now: Date): void {
  refuse([...dateProblems(preferredDate, now), ...(flexibility ? flexibilityProblems(flexibility, preferredDate) : [])]);
}

function dateProblems(value: Date, now: Date): FieldProblem[] {
  if (value >= dayStart(now) && value <= addDuration(now, YEAR)) return [];
  return [{ field: 'deploymentSchedule.preferredDate', value, reason: 'must be today or within a year' }];
}

function flexibilityProblems(value: string, from: Date): FieldProblem[] {
  const field = 'deploymentSchedule.flexibility';
  try {
    return addDuration(from, parseDuration(value)) <= addDuration(from, YEAR) ? [] : [{ field, value, reason: 'must be at most a year' }];
  } catch (error) {
    if (error instanceof InvalidDuration) return [{ field, value, reason: `must be a duration such as 7_days: ${error.message}` }];
    throw error;
  }
}
