import type { EntityClass, EntityMetadata } from '@mikro-orm/core';
import type { EntityManager } from '../database/database.ts';
import { RowMapper } from './row-mapper.ts';
import { shortRead } from './short-read.ts';

const mappers = new WeakMap<EntityMetadata, RowMapper<object>>();

/**
 * Reads records in the transaction of `em`, without its unit of work: changes of the records are not stored, and no flush compares them
 * with their rows. Use it for records that are only shown, such as in an event. `conditions` is SQL that follows FROM, in which `r` is the
 * table. It must contain the organization. Changes of the unit of work must have been flushed.
 */
export async function readRecords<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  conditions: string,
  values: readonly unknown[],
): Promise<T[]> {
  const metadata = em.getMetadata().get<T>(entity);
  const known = mappers.get(metadata as never) as RowMapper<T> | undefined;
  const mapper = known ?? new RowMapper(metadata, em.getPlatform());
  mappers.set(metadata as never, mapper as never);
  const table = `"${em.config.get('schema')}"."${metadata.tableName}" r`;
  const rows = await shortRead(em, `select ${mapper.columns('r')} from ${table} ${conditions}`, values);
  return rows.map((row) => mapper.read(row));
}
