/** What a change did to the members of a record, in the spelling of events: `{ status: { from, to } }`. */
export type ChangeSet = Record<string, { from: unknown; to: unknown }>;

/** Compares members before and after. Instants compare by time, the rest by value. */
export function changesBetween<T extends Record<string, unknown>>(before: T, after: T): ChangeSet {
  const differing = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}
