import type { EntityManager } from '../database/database.ts';
import { changesOf } from './reference-data.ts';

const FIRST = 1001;

/**
 * Returns the SQL for a migration that creates a counter table for one kind of number, such as invoice numbers. Each
 * row contains the last number of an organization. The name of the table must end with `_counter`.
 */
export const counterTable = (schema: string, table: `${string}_counter`): string =>
  `create table "${schema}"."${table}" ("organization_id" text primary key, "last" int not null)`;

type Counter = `${string}_counter`;

/**
 * Returns the next number of an organization, starting at 1001. Numbers have no gaps: the counter row stays locked
 * until the transaction commits, and a rollback restores it.
 */
export async function nextNumber(tx: EntityManager, table: Counter, organizationId: string): Promise<number> {
  return (await taken(tx, table, organizationId, '"last"', [])).last;
}

/** Returns the next `count` numbers, as `nextNumber` does, in ascending order. `count` must be at least one. */
export async function nextNumbers(tx: EntityManager, table: Counter, organizationId: string, count: number): Promise<number[]> {
  const { last } = await taken(tx, table, organizationId, '"last"', [], count);
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}

/**
 * Returns the next number, as `nextNumber` does, and how often the reference data of the organization has changed
 * (ReferenceData). One statement returns both.
 */
export async function nextNumberAndChanges(
  tx: EntityManager,
  table: Counter,
  organizationId: string,
): Promise<{ number: number; changes: number }> {
  const { schema } = tx.config.getAll();
  const { last, changes } = await taken(tx, table, organizationId, `"last", ${changesOf(schema as string)} as "changes"`, [organizationId]);
  return { number: last, changes };
}

async function taken(tx: EntityManager, table: Counter, organizationId: string, returning: string, values: readonly unknown[], count = 1) {
  const { schema } = tx.config.getAll();
  const [row] = await tx.execute<{ last: number; changes: number }[]>(
    `insert into "${schema}"."${table}" as c ("organization_id", "last") values (?, ${FIRST - 1 + count})
     on conflict ("organization_id") do update set "last" = c."last" + ${count} returning ${returning}`,
    [organizationId, ...values],
  );
  if (!row) throw new Error(`${schema}.${table} gave no number.`);
  return row;
}
