import { Allow } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import type { Valid } from '../../../kernel/graphql/rule.ts';
import { DAY_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import { addDuration, InvalidDuration, parseDuration } from '../../../kernel/values/durations.ts';

/**
 * Two times that differ by less than this count as equal, because a client may have computed them one after the other.
 */
const SAME_MS = 5 * MINUTE_MS;
const MAX_DAYS = 7;
const YEAR = { months: 12, ms: 0 };
/** Maximum time from now to the start of a maintenance that belongs to no change. */
const AHEAD = { months: 120, ms: 0 };
/** Regular expression for a duration of at most seven days, such as `2_hours`. */
const DURATION_PATTERN = '^([1-9][0-9]{0,4}[ _]minutes?|([1-9][0-9]?|1[0-5][0-9]|16[0-8])[ _]hours?|[1-7][ _]days?|1[ _]weeks?)$';

@InputType({ description: 'Time of a planned maintenance.' })
export class MaintenanceWindowInput {
  @Field(() => Date, { description: 'When the maintenance starts, at most a year ahead.' })
  start!: Date;

  @Field(() => String, { description: 'How long the maintenance takes, such as `2_hours`; at most 7 days.' })
  @MaxCharacters(40)
  @Allow(jsonSchema({ pattern: DURATION_PATTERN }))
  duration!: string;
}

/** Start and end of a maintenance, and the time between them at which the service change that it is planned for takes effect. */
export interface MaintenanceTimes {
  startsAt: Date;
  endsAt: Date;
  effectiveAt: Date;
}

/** Returns the times of a maintenance whose input has no problems. */
export function maintenanceTimes({ start, duration }: MaintenanceWindowInput, effectiveDate: Date | null | undefined): MaintenanceTimes {
  const effectiveAt = effectiveDate && effectiveDate > start ? effectiveDate : start;
  return { startsAt: start, endsAt: addDuration(start, parseDuration(duration)), effectiveAt };
}

/** Lists the problems of a maintenance: of its times, of its duration, and of the date of the change that it is for. */
export function windowProblems(
  { start, duration }: Valid<MaintenanceWindowInput>,
  effectiveDate: Date | null | undefined,
  now: Date,
): FieldProblem[] {
  const length = duration === undefined ? null : lengthOf(duration);
  return [
    ...(start && (start.getTime() < now.getTime() - SAME_MS || start > addDuration(now, YEAR))
      ? [{ field: 'maintenanceWindow.start', value: start, reason: 'must be in the future, and within a year' }]
      : []),
    ...(typeof length === 'string' ? [{ field: 'maintenanceWindow.duration', value: duration, reason: length }] : []),
    ...(start && typeof length === 'number' && effectiveDate && !contains(start, length, effectiveDate)
      ? [{ field: 'effectiveDate', value: effectiveDate, reason: 'must be within the maintenance window' }]
      : []),
  ];
}

/** Lists the problems of the times of a maintenance. The start may be in the past only if the maintenance has already started. */
export function timeProblems(
  { startsAt, endsAt }: { startsAt: Date; endsAt: Date },
  now: Date,
  { hasStarted = false } = {},
): FieldProblem[] {
  const ms = endsAt.getTime() - startsAt.getTime();
  const isLate = startsAt.getTime() < now.getTime() - SAME_MS || startsAt > addDuration(now, AHEAD);
  return [
    ...(!hasStarted && isLate ? [{ field: 'start', value: startsAt, reason: 'must be in the future, and within ten years' }] : []),
    ...(ms <= 0 || ms > MAX_DAYS * DAY_MS
      ? [{ field: 'end', value: endsAt, reason: `must be after the start, by at most ${MAX_DAYS} days` }]
      : endsAt.getTime() < now.getTime() - SAME_MS
        ? [{ field: 'end', value: endsAt, reason: 'must not be in the past' }]
        : []),
  ];
}

const contains = (start: Date, ms: number, at: Date): boolean =>
  at.getTime() >= start.getTime() - SAME_MS && at.getTime() < start.getTime() + ms;

/** Returns the duration of a maintenance in milliseconds, or the problem with the text. */
function lengthOf(text: string): number | string {
  const epoch = new Date(0);
  try {
    const ms = addDuration(epoch, parseDuration(text)).getTime();
    return ms > 0 && ms <= MAX_DAYS * DAY_MS ? ms : `must be more than 0 and at most ${MAX_DAYS} days`;
  } catch (error) {
    if (error instanceof InvalidDuration) return 'must be a duration such as 2_hours';
    throw error;
  }
}
