import type { EntityClass, EntityMetadata, MetadataStorage } from '@mikro-orm/core';

/**
 * Where to find the account of a record. A string is the property of the record that contains the account id. An object
 * refers to the record that owns this record and has the account: `of` is the entity name of the owner, and `by` is the
 * property that contains the owner's id.
 */
export type AccountPath = string | { by: string; of: string };

const paths = new WeakMap<object, AccountPath>();

export const declareAccount = (entity: object, path: AccountPath): void => void paths.set(entity, path);

/** Returns undefined if the records of the entity belong to the whole organization, not to accounts. */
export const accountPathOf = (entity: object): AccountPath | undefined => paths.get(entity);

/**
 * Returns an SQL condition: true if the account of the row `alias` is in `accounts`, an SQL expression of type array.
 * The condition is false for a row without an account.
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
