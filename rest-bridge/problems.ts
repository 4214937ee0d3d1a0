import type { FieldProblem } from '../kernel/errors.ts';
import { closest } from './names.ts';

/** Whether a value is text (path and query: everything is a string) or JSON. */
export type Source = 'text' | 'json';

/**
 * Turns one value of a request into the graph's: names in camelCase, enum values in upper case. Adds what is wrong to
 * `problems`, with `at` as its dotted path in REST spelling; what it returns then is not used.
 */
export type Coerce = (value: unknown, at: string, problems: FieldProblem[]) => unknown;

export function wrong(problems: FieldProblem[], field: string, value: unknown, reason: string): undefined {
  problems.push({ field, value, reason });
  return undefined;
}

/** Names each member that nobody knows: a typo that is silently dropped costs a user a day. */
export function reportUnknown(value: object, known: readonly string[], at: string, problems: FieldProblem[], what = 'member'): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const meant = closest(name, known);
    wrong(problems, at ? `${at}.${name}` : name, undefined, `is not a known ${what}${meant ? `; did you mean ${meant}?` : ''}`);
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
