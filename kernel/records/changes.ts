import { isDeepStrictEqual } from 'node:util';

/** The changed fields of a record, in the format of events: `{ status: { from, to } }`. */
export type ChangeSet = Record<string, { from: unknown; to: unknown }>;

/**
 * Returns the fields of `after` that differ from the same fields of `before`. Two values are equal if their JSON is
 * equal, with the members of objects in any order: the database stores them in an order of its own.
 */
export function changesBetween<T extends Record<string, unknown>>(before: T, after: T): ChangeSet {
  const differing = Object.keys(after).filter((name) => !isDeepStrictEqual(plain(before[name]), plain(after[name])));
  return Object.fromEntries(differing.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}

/** Returns a value as it is after its transfer as JSON: dates and amounts as text, and without undefined members. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
