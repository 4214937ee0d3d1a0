import { type EntityManager, rowsOf } from '../database/database.ts';
import { PREPARED } from '../database/statements.ts';

/**
 * Runs a frequent SELECT that finds few rows by a key, and returns the values of each row in column order. `sql` has a
 * `?` for each value. In a transaction, the statement is part of it. Otherwise it is a short read
 * (kernel/database/reader.ts), which is planned only once.
 */
export async function shortRead<R extends readonly unknown[]>(em: EntityManager, sql: string, values: readonly unknown[]): Promise<R[]> {
  if (em.isInTransaction()) return (await em.execute<object[]>(sql, [...values])).map((row) => Object.values(row) as unknown as R);
  return (await rowsOf(em).tuples(numbered(sql), values, PREPARED)) as unknown as R[];
}

/** Replaces the placeholders `?` by `$1`, `$2` and so on. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
