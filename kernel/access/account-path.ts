import type { EntityClass, EntityMetadata, MetadataStorage } from '@mikro-orm/core';

/**
 * Path from a record to its account. If the record contains the account id, the path is a string: the name of that property. If only the
 * owner of the record has an account, the path is an object: `of` is the entity name of the owner, and `by` is the property that contains
 * the id of the owner. If the record has child rows with accounts of their own, such as the services of an incident, the path is an object
 * with the entity name of the child rows (`any`) and their property that contains the id of the record (`by`). Callers who see one of the
 * child rows see the record.
 */
export type AccountPath = string | { by: string; of: string } | { by: string; any: string };

const paths = new WeakMap<object, AccountPath>();

export const declareAccount = (entity: object, path: AccountPath): void => void paths.set(entity, path);

/**
 * Returns the path from the records of an entity to their account. Returns undefined if the records belong to the whole
 * organization.
 */
export const accountPathOf = (entity: object): AccountPath | undefined => paths.get(entity);

/**
 * Returns an SQL condition on the rows of an entity. The condition is true if the account of the row is in `accounts`,
 * and false for a row without an account. `alias` is the alias of the entity's table. `accounts` is an SQL expression
 * for an array.
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
  const other = metadata.getByClassName('of' in path ? path.of : path.any);
  const inner = `${alias.replaceAll('"', '')}_of`;
  const key =
    'of' in path
      ? `"${inner}"."id" = ${alias}."${columnOf(its, path.by)}"`
      : `"${inner}"."${columnOf(other as EntityMetadata, path.by)}" = ${alias}."id"`;
  const same = `${key} and "${inner}"."organization_id" = ${alias}."organization_id"`;
  return `exists (select 1 from "${schema}"."${other.tableName}" "${inner}" where ${same} and ${accountCondition(metadata, schema, other.class, `"${inner}"`, accounts)})`;
}

const columnOf = ({ properties }: EntityMetadata, property: string): string =>
  (properties as Record<string, { fieldNames?: string[] } | undefined>)[property]?.fieldNames?.[0] ?? property;
