/** The changed fields of a record, in the format of events: `{ status: { from, to } }`. */
export type ChangeSet = Record<string, { from: unknown; to: unknown }>;

/**
 * Returns the fields of `after` that differ from the same fields of `before`. Two values are equal if their JSON is
 * equal.
 */
export function changesBetween<T extends Record<string, unknown>>(before: T, after: T): ChangeSet {
  const differing = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}
