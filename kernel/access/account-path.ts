import type { EntityClass, EntityMetadata, MetadataStorage } from '@mikro-orm/core';

/**
 * Where the account of a record stands: in a property of its own, or in that of the record that it belongs to: an entity of this
 * name, whose id is its property `by`.
 */
export type AccountPath = string | { by: string; of: string };

const paths = new WeakMap<object, AccountPath>();

export const declareAccount = (entity: object, path: AccountPath): void => void paths.set(entity, path);

/** Undefined for records of the organization as a whole. */
export const accountPathOf = (entity: object): AccountPath | undefined => paths.get(entity);

/**
 * SQL that holds of the row `alias` of a table where its account is one of `accounts`, an expression of an array. A record that
 * belongs to one of no account is of none either.
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
