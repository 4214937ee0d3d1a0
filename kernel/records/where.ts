import type { FilterQuery } from '@mikro-orm/core';

/** What a filter asks of one member: a value, any of several, or an operator of the ORM's. Null asks nothing. */
type Asked<V> = V | readonly V[] | Operators | null | undefined;
type Operators = { readonly [operator in `$${string}`]?: unknown };

/** What a filter asks of the members of a record; `$or` and `$and` hold conditions as the ORM takes them. */
export type Wanted<T> = { readonly [K in keyof T]?: Asked<T[K]> } & Operators;

/** The where clause of a list's filter. What was left out asks nothing; an empty list is asked for, and finds nothing. */
export function matching<T extends object>(wanted: Wanted<T>): FilterQuery<T> {
  const asked = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(asked.map(([name, value]) => [name, isAnyOf(name, value) ? { $in: [...value] } : value])) as FilterQuery<T>;
}

const isAnyOf = (name: string, value: unknown): value is unknown[] => Array.isArray(value) && !name.startsWith('$');

/** From `start` on and before `end`, as far as they are given. */
export function between(start: Date | null | undefined, end: Date | null | undefined): Operators | undefined {
  if (!start && !end) return undefined;
  return { ...(start && { $gte: start }), ...(end && { $lt: end }) };
}

/** Has the text in it, in any case, and taken as it stands: `%` and `_` are no wildcards. */
export const containing = (text: string): { $ilike: string } => ({ $ilike: `%${text.replace(/[\\%_]/g, '\\$&')}%` });
