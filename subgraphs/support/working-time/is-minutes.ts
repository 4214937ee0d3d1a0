import { ValidateBy } from 'class-validator';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { parseMinutes } from './durations.ts';

/**
 * Regular expression for durations of working time, shown in the API documents. It is stricter than `parseMinutes`,
 * because it excludes durations in seconds and very long durations.
 */
const MINUTES_PATTERN = '^([1-9][0-9]{0,6}[ _]minutes?|[1-9][0-9]{0,4}[ _]hours?|[1-9][0-9]{0,3}[ _]days?|[1-9][0-9]{0,2}[ _]weeks?)$';

/** Validates that an input is a text, or a list of texts, that `parseMinutes` accepts. */
export const IsMinutes = ({ each = false }: { each?: boolean } = {}): PropertyDecorator =>
  ValidateBy(
    { name: 'isMinutes', validator: { validate: isMinutes } },
    { each, ...jsonSchema({ pattern: MINUTES_PATTERN }), message: 'must be working time in whole minutes, such as 15_minutes or 8 hours' },
  );

function isMinutes(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseMinutes(value) > 0;
  } catch {
    return false;
  }
}
