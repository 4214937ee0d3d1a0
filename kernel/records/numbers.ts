import type { EntityManager } from '../database/database.ts';

const FIRST = 1001;

/** The table in which a schema counts one kind of number, as SQL for its migration. Its name ends in `_counter`. */
export const counterTable = (schema: string, table: `${string}_counter`): string =>
  `create table "${schema}"."${table}" ("organization_id" text primary key, "last" int not null)`;

/**
 * The next of an organization's numbers, from 1001: without gaps, because the row stays locked until the transaction that
 * takes the number commits, and a rollback gives it back.
 */
export async function nextNumber(tx: EntityManager, table: `${string}_counter`, organizationId: string): Promise<number> {
  const { schema } = tx.config.getAll();
  const [row] = await tx.execute<{ last: number }[]>(
    `insert into "${schema}"."${table}" as c ("organization_id", "last") values (?, ${FIRST})
     on conflict ("organization_id") do update set "last" = c."last" + 1 returning "last"`,
    [organizationId],
  );
  if (!row) throw new Error(`${schema}.${table} gave no number.`);
  return row.last;
}
