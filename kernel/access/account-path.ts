import type { EntityClass, EntityMetadata, MetadataStorage } from '@mikro-orm/core';

/**
 * Path from a record to its account: the name of its own property, or the record that it belongs to. That record is an entity named `of`,
 * and the property `by` holds its id.
 */
export type AccountPath = string | { by: string; of: string };

const paths = new WeakMap<object, AccountPath>();

export const declareAccount = (entity: object, path: AccountPath): void => void paths.set(entity, path);

/** Returns undefined for records of the organization as a whole. */
export const accountPathOf = (entity: object): AccountPath | undefined => paths.get(entity);

/**
 * SQL condition that is true if the account of row `alias` is one of `accounts` (an SQL expression of an array). It is false for a row
 * whose owning record has no account.
 */
export function accountCondition(
  metadata: MetadataStorage,
  schema: string,
  entity: EntityClass<object>,
  alias: string,
  accounts: string,
): string {
  const path = accountPathOf(entity);
  if (path === undefined) return 'false';
  const its = metadata.get(entity) as EntityMetadata;
  if (typeof path === 'string') return `${alias}."${columnOf(its, path)}" = any(${accounts})`;
  const owner = metadata.getByClassName(path.of);
  const inner = `${alias.replaceAll('"', '')}_of`;
  const same = `"${inner}"."id" = ${alias}."${columnOf(its, path.by)}" and "${inner}"."organization_id" = ${alias}."organization_id"`;
  return `exists (select 1 from "${schema}"."${owner.tableName}" "${inner}" where ${same} and ${accountCondition(metadata, schema, owner.class, `"${inner}"`, accounts)})`;
}

const columnOf = ({ properties }: EntityMetadata, property: string): string =>
  (properties as Record<string, { fieldNames?: string[] } | undefined>)[property]?.fieldNames?.[0] ?? property;
