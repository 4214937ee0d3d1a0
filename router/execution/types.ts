import { type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import type { Joins } from '../joins.ts';

/** Inputs of the compilation: the API schema, and which subgraphs define which types. */
export interface Types {
  readonly schema: GraphQLSchema;
  readonly joins: Joins;
}

/** Returns true if a type meets the condition. */
export type TypeCheck = (typename: string) => boolean;

/** Compiles a type condition: it matches the given types and all object types of given interfaces or unions. */
export function typeCheck(schema: GraphQLSchema, names: readonly string[]): TypeCheck {
  const covered = new Set(names);
  for (const name of names) {
    const type = schema.getType(name);
    if (isAbstractType(type)) for (const { name: possible } of schema.getPossibleTypes(type)) covered.add(possible);
  }
  return (typename) => covered.has(typename);
}

/** Returns the possible object types of a type. */
export function possibleNames(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  if (isAbstractType(type)) return schema.getPossibleTypes(type).map((possible) => possible.name);
  return isObjectType(type) ? [name] : [];
}
