import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { addDuration, parseDuration } from '../../../kernel/values/durations.ts';

/**
 * Date from which durations are compared, because months differ in length. Another date would make a difference only for durations close to
 * the shortest or longest allowed duration.
 */
const REFERENCE = new Date('2026-01-01T00:00:00Z');
const lengthOf = (text: string): number => addDuration(REFERENCE, parseDuration(text)).getTime();

/**
 * Validates that a property is a duration from `shortest` to `longest`. All three are texts in a format that
 * `parseDuration` accepts, such as `30_minutes`. The API documents show the regular expression `pattern` for the
 * allowed durations.
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
