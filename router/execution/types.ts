import { type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import type { Joins } from '../joins.ts';

/** The schema information that is needed to compile plans: the API schema, and the types that each subgraph defines. */
export interface Types {
  readonly schema: GraphQLSchema;
  readonly joins: Joins;
}

/** Returns true if the type with this name meets a type condition. */
export type TypeCheck = (typename: string) => boolean;

/**
 * Compiles a type condition. An object type in `names` matches itself. An interface or union matches all of its object
 * types.
 */
export function typeCheck(schema: GraphQLSchema, names: readonly string[]): TypeCheck {
  const covered = new Set(names);
  for (const name of names) {
    const type = schema.getType(name);
    if (isAbstractType(type)) for (const { name: possible } of schema.getPossibleTypes(type)) covered.add(possible);
  }
  return (typename) => covered.has(typename);
}

/** Returns the object types of an interface or union. For an object type, returns the type itself. */
export function possibleNames(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  if (isAbstractType(type)) return schema.getPossibleTypes(type).map((possible) => possible.name);
  return isObjectType(type) ? [name] : [];
}
