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

/** The document, asking for the type of every object whose type the schema leaves open: the response is completed by it. */
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
