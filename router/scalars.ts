import { GraphQLError, type GraphQLSchema, isScalarType, isSpecifiedScalarType, valueFromASTUntyped } from 'graphql';
import type { Transports } from './executable-supergraph.ts';

/**
 * Has custom scalars accept what they accept in the subgraphs of this process, so that a wrong value is refused with all others
 * before any subgraph is asked. Values go on as they came. What subgraphs elsewhere accept they say themselves.
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
        // graphql-js adds the place to errors of others only
        throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
      }
      return valueFromASTUntyped(node, variables);
    };
  }
}
