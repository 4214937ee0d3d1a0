import type { EntityManager } from '../database/database.ts';
import { changesOf } from './reference-data.ts';

const FIRST = 1001;

/** The table in which a schema counts one kind of number, as SQL for its migration. Its name ends in `_counter`. */
export const counterTable = (schema: string, table: `${string}_counter`): string =>
  `create table "${schema}"."${table}" ("organization_id" text primary key, "last" int not null)`;

type Counter = `${string}_counter`;

/**
 * The next of an organization's numbers, from 1001: without gaps, because the row stays locked until the transaction that
 * takes the number commits, and a rollback gives it back.
 */
export async function nextNumber(tx: EntityManager, table: Counter, organizationId: string): Promise<number> {
  return (await taken(tx, table, organizationId, '"last"', [])).last;
}

/** The same, and in the same statement how often the organization's reference data has changed (ReferenceData). */
export async function nextNumberAndChanges(
  tx: EntityManager,
  table: Counter,
  organizationId: string,
): Promise<{ number: number; changes: number }> {
  const { schema } = tx.config.getAll();
  const { last, changes } = await taken(tx, table, organizationId, `"last", ${changesOf(schema as string)} as "changes"`, [organizationId]);
  return { number: last, changes };
}

async function taken(tx: EntityManager, table: Counter, organizationId: string, returning: string, values: readonly unknown[]) {
  const { schema } = tx.config.getAll();
  const [row] = await tx.execute<{ last: number; changes: number }[]>(
    `insert into "${schema}"."${table}" as c ("organization_id", "last") values (?, ${FIRST})
     on conflict ("organization_id") do update set "last" = c."last" + 1 returning ${returning}`,
    [organizationId, ...values],
  );
  if (!row) throw new Error(`${schema}.${table} gave no number.`);
  return row;
}
