import type { EntityManager } from '../database/database.ts';

/**
 * Inserts a new record without the unit of work of the ORM, which takes longer than the statement itself. It uses the columns and the
 * conversion of values of the ORM. The statement returns nothing, so it is sent together with the next statement or with COMMIT
 * (kernel/database/transactions.ts). The transaction does not store later changes of the record.
 */
export async function insertRecord(tx: EntityManager, record: object): Promise<void> {
  const { tableName, properties } = tx.getMetadata().get(record.constructor as never) as unknown as Written;
  const platform = tx.getPlatform();
  const data = tx.getComparator().prepareEntity(record) as Record<string, unknown>;
  const columns: string[] = [];
  const literals: string[] = [];
  for (const name in data) {
    const value = data[name];
    if (value === undefined) continue;
    columns.push(`"${properties[name]?.fieldNames[0]}"`);
    literals.push(value === null ? 'null' : platform.quoteValue(value));
  }
  await tx.execute(`insert into "${tx.config.get('schema')}"."${tableName}" (${columns.join(', ')}) values (${literals.join(', ')})`);
}

/** The parts of the metadata of an entity that an INSERT needs. */
interface Written {
  tableName: string;
  properties: Record<string, { fieldNames: string[] }>;
}
