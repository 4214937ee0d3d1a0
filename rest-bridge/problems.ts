import type { Problems } from '../kernel/errors/problems.ts';
import { closest } from './names.ts';

/** Whether a value is text (path and query: everything is a string) or JSON. */
export type Source = 'text' | 'json';

/**
 * Turns one value of a request into the graph's: names in camelCase, enum values in upper case. Adds what is wrong to
 * `problems`, with `at` as its dotted path in REST spelling; what it returns then is not used.
 */
export type Coerce = (value: unknown, at: string, problems: Problems) => unknown;

export function wrong(problems: Problems, field: string, value: unknown, reason: string): undefined {
  problems.add({ field, value, reason });
  return undefined;
}

/** More than any input has: an object with more fields is refused before they are looked at. */
const MAX_FIELDS = 100;

/** An object as a list of its fields, in the order in which they were sent; undefined, with a problem, where it has too many. */
export function fieldsOf(value: Readonly<Record<string, unknown>>, at: string, problems: Problems): string[] | undefined {
  const names = Object.keys(value);
  if (names.length <= MAX_FIELDS) return names;
  return wrong(problems, at, undefined, `has ${names.length} fields, at most ${MAX_FIELDS} are accepted`);
}

/** A field that nobody knows is named: a typo that is silently dropped costs a user a day. */
export function reportUnknown(name: string, known: readonly string[], at: string, problems: Problems, what = 'member'): void {
  // words take their time
  const meant = problems.isFull ? undefined : closest(name, known);
  wrong(problems, at ? `${at}.${name}` : name, undefined, `is not a known ${what}${meant ? `; did you mean ${meant}?` : ''}`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
