import type { EntityManager } from '../database/database.ts';
import { changesOf } from './reference-data.ts';

const FIRST = 1001;

/** SQL for a migration: a table with the counters of one kind of number. Its name ends in `_counter`. */
export const counterTable = (schema: string, table: `${string}_counter`): string =>
  `create table "${schema}"."${table}" ("organization_id" text primary key, "last" int not null)`;

type Counter = `${string}_counter`;

/**
 * Takes the next number of an organization, starting at 1001. Numbers have no gaps: the counter row stays locked until the transaction
 * commits, and a rollback restores it.
 */
export async function nextNumber(tx: EntityManager, table: Counter, organizationId: string): Promise<number> {
  return (await taken(tx, table, organizationId, '"last"', [])).last;
}

/** Like `nextNumber`. The same statement also returns how often the organization's reference data has changed (ReferenceData). */
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
