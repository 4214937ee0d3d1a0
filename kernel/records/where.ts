import type { FilterQuery } from '@mikro-orm/core';

/**
 * The condition on one field: a value, a list of values, or an operator of the ORM. Null and undefined mean that there
 * is no condition.
 */
type Asked<V> = V | readonly V[] | Operators | null | undefined;
type Operators = { readonly [operator in `$${string}`]?: unknown };

/** Conditions on the fields of a record. `$or` and `$and` contain conditions of the ORM. */
export type Wanted<T> = { readonly [K in keyof T]?: Asked<T[K]> } & Operators;

/**
 * Creates the where clause of a list. A field without a value adds no condition. An empty list of values matches
 * nothing.
 */
export function matching<T extends object>(wanted: Wanted<T>): FilterQuery<T> {
  const asked = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(asked.map(([name, value]) => [name, isAnyOf(name, value) ? { $in: [...value] } : value])) as FilterQuery<T>;
}

const isAnyOf = (name: string, value: unknown): value is unknown[] => Array.isArray(value) && !name.startsWith('$');

/** Creates a condition for a time from `start` (inclusive) to `end` (exclusive). Both parameters are optional. */
export function between(start: Date | null | undefined, end: Date | null | undefined): Operators | undefined {
  if (!start && !end) return undefined;
  return { ...(start && { $gte: start }), ...(end && { $lt: end }) };
}

/** Creates a condition for fields that contain the text, ignoring case. `%` and `_` are not wildcards. */
export const containing = (text: string): { $ilike: string } => ({ $ilike: `%${text.replace(/[\\%_]/g, '\\$&')}%` });
