import type { EntityManager } from '../../../kernel/database/database.ts';

/**
 * Makes the rows of a list equal to `wanted`: rows with the same key are updated, others are added or removed. `keyOf`
 * returns the part of the primary key that differs between the rows.
 */
export function replaceRows<T extends object>(
  tx: EntityManager,
  entity: new () => T,
  present: readonly T[],
  wanted: readonly T[],
  keyOf: (row: T) => string | number,
): void {
  const kept = new Map(present.map((row) => [keyOf(row), row]));
  for (const row of wanted) {
    const found = kept.get(keyOf(row));
    if (found) Object.assign(found, row);
    else tx.persist(Object.assign(new entity(), row));
    kept.delete(keyOf(row));
  }
  for (const row of kept.values()) tx.remove(row);
}
