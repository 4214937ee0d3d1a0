import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';

/** Whether an Idempotency-Key counts. */
export const isOnce = ({ kind, route: { method, access } }: CompiledRoute): boolean =>
  method === 'POST' && kind === 'mutation' && access !== 'public';

/** Whether a change names a record in its body, or a read one beside its filters: an id that is unknown to the caller is 404. */
export const namesRecord = ({ kind, field }: CompiledRoute): boolean =>
  field.args.some(({ type }) => (kind === 'mutation' ? holdsId(type) : getNamedType(type).name === 'ID'));

function holdsId(type: GraphQLInputType, within: readonly string[] = []): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID';
  if (within.includes(named.name)) return false;
  return Object.values(named.getFields()).some((field) => holdsId(field.type, [...within, named.name]));
}
