import type { ClassType } from 'type-graphql';
import { accountPathOf } from '../access/account-path.ts';
import { type Demand, scopeIn } from './requires.ts';

/** Metadata of a field with a resolver, as type-graphql stores it. */
interface Handler {
  target: unknown;
  methodName: string;
  getReturnType?: () => unknown;
  getType?: () => unknown;
}

interface Storage {
  queries: Handler[];
  mutations: Handler[];
  subscriptions: Handler[];
  fieldResolvers: Handler[];
  fields: { target: unknown; schemaName: string; getType: () => unknown }[];
  objectTypes: { name: string; target: object }[];
  authorizedFields: { target: unknown; fieldName: string; roles: Demand[] }[];
}

const storage = (): Storage => (globalThis as unknown as { TypeGraphQLMetadataStorage: Storage }).TypeGraphQLMetadataStorage;

/**
 * Sets the scope `account` for each field of the given resolvers that requires a permission, declares no scope, and
 * returns records that belong to accounts: one record, a list or a page.
 */
export function findScopes(resolvers: readonly ClassType[]): void {
  const { queries, mutations, subscriptions, fieldResolvers, authorizedFields } = storage();
  for (const handler of [...queries, ...mutations, ...subscriptions, ...fieldResolvers]) {
    if (!resolvers.includes(handler.target as ClassType)) continue;
    const demands = authorizedFields.find(({ target, fieldName }) => target === handler.target && fieldName === handler.methodName)?.roles;
    const type = (handler.getReturnType ?? handler.getType)?.();
    if (demands && scopeIn(demands) === undefined && isOfAccounts(type)) demands.push('scope:account');
  }
}

/** Returns true if the records of a GraphQL type belong to accounts. */
export const isTypeOfAccounts = (name: string): boolean =>
  storage().objectTypes.some((type) => type.name === name && accountPathOf(type.target) !== undefined);

function isOfAccounts(type: unknown): boolean {
  if (typeof type !== 'function') return Array.isArray(type) && isOfAccounts(type[0]);
  if (accountPathOf(type)) return true;
  const nodes = storage().fields.find(({ target, schemaName }) => target === type && schemaName === 'nodes');
  return nodes !== undefined && isOfAccounts(nodes.getType());
}
