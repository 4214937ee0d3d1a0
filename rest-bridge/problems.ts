import type { Problems } from '../kernel/errors/problems.ts';
import { closest } from './names.ts';

/** Format of a value in the request: `text` in path and query, `json` in a body. */
export type Source = 'text' | 'json';

/**
 * Converts one value of a request for GraphQL: names to camelCase, enum values to upper case.
 * If the value is invalid, the function adds a problem for the dotted REST path `at`, and its result must be ignored.
 */
export type Coerce = (value: unknown, at: string, problems: Problems) => unknown;

export function wrong(problems: Problems, field: string, value: unknown, reason: string): undefined {
  problems.add({ field, value, reason });
  return undefined;
}

/**
 * Maximum number of fields in an object. No valid input object has this many fields. A larger object is rejected before
 * its fields are checked.
 */
const MAX_FIELDS = 100;

/**
 * Returns the field names of an object in the order sent. If the object has more than `MAX_FIELDS` fields, adds a
 * problem and returns undefined.
 */
export function fieldsOf(value: Readonly<Record<string, unknown>>, at: string, problems: Problems): string[] | undefined {
  const names = Object.keys(value);
  if (names.length <= MAX_FIELDS) return names;
  return wrong(problems, at, undefined, `has ${names.length} fields, at most ${MAX_FIELDS} are accepted`);
}

/** Adds a problem for an unknown field. An ignored typing mistake would be hard to find for the caller. */
export function reportUnknown(name: string, known: readonly string[], at: string, problems: Problems, what = 'field'): void {
  // a problem that is counted but not listed gets no suggestion, because the search for one takes time
  const meant = problems.isFull ? undefined : closest(name, known);
  wrong(problems, at ? `${at}.${name}` : name, undefined, `is not a known ${what}${meant ? `; did you mean ${meant}?` : ''}`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
