import { GraphQLError, type GraphQLSchema, isScalarType, isSpecifiedScalarType, valueFromASTUntyped } from 'graphql';
import type { Transports } from './executable-supergraph.ts';

/**
 * Makes the custom scalars of `schema` validate values with the code of the subgraphs in this process. So all invalid
 * values are reported together before a subgraph is called.
 * Valid values are passed on unchanged. Scalars of subgraphs in other processes are validated only there.
 */
export function checkScalars(schema: GraphQLSchema, transports: Transports): void {
  const scalars = [...transports.values()].flatMap((transport) => Object.values(transport.schema?.getTypeMap() ?? {}).filter(isScalarType));
  for (const scalar of scalars) {
    const shown = schema.getType(scalar.name);
    if (!isScalarType(shown) || isSpecifiedScalarType(shown)) continue;
    shown.parseValue = (value) => {
      scalar.parseValue(value);
      return value;
    };
    shown.parseLiteral = (node, variables) => {
      try {
        scalar.parseLiteral(node, variables);
      } catch (error) {
        // graphql-js adds the location only to errors that are not a GraphQLError, so it is added here
        throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
      }
      return valueFromASTUntyped(node, variables);
    };
  }
}
