import { type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import type { Joins } from '../joins.ts';

/** What steps are compiled with: the types that clients see, and which subgraph knows them. */
export interface Types {
  readonly schema: GraphQLSchema;
  readonly joins: Joins;
}

/** Whether an object of a type is one of those that a condition names. */
export type TypeCheck = (typename: string) => boolean;

/** Compiles a type condition: the names themselves, and the objects that belong to an interface or union among them. */
export function typeCheck(schema: GraphQLSchema, names: readonly string[]): TypeCheck {
  const covered = new Set(names);
  for (const name of names) {
    const type = schema.getType(name);
    if (isAbstractType(type)) for (const { name: possible } of schema.getPossibleTypes(type)) covered.add(possible);
  }
  return (typename) => covered.has(typename);
}

/** The object types that a value of a type may have. */
export function possibleNames(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  if (isAbstractType(type)) return schema.getPossibleTypes(type).map((possible) => possible.name);
  return isObjectType(type) ? [name] : [];
}
