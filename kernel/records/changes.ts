/** The changed fields of a record, in the format of events: `{ status: { from, to } }`. */
export type ChangeSet = Record<string, { from: unknown; to: unknown }>;

/** Compares fields before and after a change. Dates are compared by time, everything else by value. */
export function changesBetween<T extends Record<string, unknown>>(before: T, after: T): ChangeSet {
  const differing = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}
