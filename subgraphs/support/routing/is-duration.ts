import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { addDuration, parseDuration } from '../../../kernel/values/durations.ts';

/**
 * Months differ in length, so durations are measured from this date. Another date would give another result only for
 * durations near the shortest or longest allowed duration.
 */
const REFERENCE = new Date('2026-01-01T00:00:00Z');
const lengthOf = (text: string): number => addDuration(REFERENCE, parseDuration(text)).getTime();

/**
 * Validates that a duration is between `shortest` and `longest`. All durations are texts in the format of the
 * specification. `pattern` is the regular expression for this range that the API documents show.
 */
export const IsDuration = (shortest: string, longest: string, pattern: string): PropertyDecorator =>
  ValidateBy(
    { name: 'isDuration', validator: { validate: (value) => isWithin(value, shortest, longest) } },
    { message: `must be a duration from ${shortest} to ${longest}, such as 30_minutes`, ...jsonSchema({ pattern }) },
  );

function isWithin(value: unknown, shortest: string, longest: string): boolean {
  try {
    const length = lengthOf(String(value));
    return length >= lengthOf(shortest) && length <= lengthOf(longest);
  } catch {
    return false;
  }
}
