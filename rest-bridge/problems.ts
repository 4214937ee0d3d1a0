import type { Problems } from '../kernel/errors/problems.ts';
import { closest } from './names.ts';

/** Whether a value is text, as in path and query, or JSON. */
export type Source = 'text' | 'json';

/**
 * Converts one value of a request to the graph's form: names in camelCase, enum values in upper case. If the value is invalid, it adds a
 * problem with the dotted REST path `at`, and its result is ignored.
 */
export type Coerce = (value: unknown, at: string, problems: Problems) => unknown;

export function wrong(problems: Problems, field: string, value: unknown, reason: string): undefined {
  problems.add({ field, value, reason });
  return undefined;
}

/** More fields than any input has. Objects with more are refused before their fields are checked. */
const MAX_FIELDS = 100;

/** Returns the fields of an object in the order sent. If there are too many, adds a problem and returns undefined. */
export function fieldsOf(value: Readonly<Record<string, unknown>>, at: string, problems: Problems): string[] | undefined {
  const names = Object.keys(value);
  if (names.length <= MAX_FIELDS) return names;
  return wrong(problems, at, undefined, `has ${names.length} fields, at most ${MAX_FIELDS} are accepted`);
}

/** Reports an unknown field, since ignoring a typo silently would cost users much time. */
export function reportUnknown(name: string, known: readonly string[], at: string, problems: Problems, what = 'member'): void {
  // suggestions take time to compute
  const meant = problems.isFull ? undefined : closest(name, known);
  wrong(problems, at ? `${at}.${name}` : name, undefined, `is not a known ${what}${meant ? `; did you mean ${meant}?` : ''}`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
