import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';

/** Returns whether the operation accepts an Idempotency-Key. */
export const isOnce = ({ kind, route: { method, access } }: CompiledRoute): boolean =>
  method === 'POST' && kind === 'mutation' && access !== 'public';

/**
 * Returns whether the operation takes the id of a record: anywhere in the input of a mutation, or as an argument of a query. An operation
 * with an id responds with 404 if the id is unknown to the caller.
 */
export const namesRecord = ({ kind, field }: CompiledRoute): boolean =>
  field.args.some(({ type }) => (kind === 'mutation' ? holdsId(type) : getNamedType(type).name === 'ID'));

function holdsId(type: GraphQLInputType, within: readonly string[] = []): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID';
  if (within.includes(named.name)) return false;
  return Object.values(named.getFields()).some((field) => holdsId(field.type, [...within, named.name]));
}
