import {
  type DocumentNode,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

const TYPENAME: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** Adds `__typename` to every selection on an interface or union, because the projection needs it. */
export function withTypenames(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const types = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(types, {
      SelectionSet: {
        leave: (node) => (isAbstractType(types.getParentType()) ? { ...node, selections: [...node.selections, TYPENAME] } : undefined),
      },
    }),
  );
}
