import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { PreparedOperation } from './documents.ts';
import { type Fragments, rootFieldNames } from './limits.ts';
import type { Variables } from './transport.ts';

export type Introspection = 'none' | 'only' | 'mixed';

export function introspectionOf(node: OperationDefinitionNode, fragments: Fragments): Introspection {
  const names = rootFieldNames(node, fragments);
  const meta = names.filter((name) => name.startsWith('__')).length;
  if (meta === names.length) return 'only';
  // `__typename` counts as data, because the planner resolves it
  return names.some((name) => name.startsWith('__') && name !== '__typename') ? 'mixed' : 'none';
}

/** Executes the introspection part of an operation. */
export function introspect(schema: GraphQLSchema, { node, fragments }: PreparedOperation, variableValues: Variables): ExecutionResult {
  const about = keepingRoots(node, fragments, (name) => name.startsWith('__'));
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [about, ...fragments.values()] };
  return execute({ schema, document, variableValues }) as ExecutionResult;
}

/** Returns the data part of an operation that selects both data and introspection fields. */
export const dataPart = ({ node, fragments }: PreparedOperation): OperationDefinitionNode =>
  keepingRoots(node, fragments, (name) => !name.startsWith('__') || name === '__typename');

/** Returns the operation with only the root fields for which `keeps` is true. Fragments at the root become inline fragments. */
function keepingRoots(operation: OperationDefinitionNode, fragments: Fragments, keeps: (name: string) => boolean): OperationDefinitionNode {
  const kept = ({ selections }: SelectionSetNode): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections: selections.flatMap(keep) });
  const keep = (selection: SelectionNode): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return keeps(selection.name.value) ? [selection] : [];
    const { directives } = selection;
    const { typeCondition, selectionSet } =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : (fragments.get(selection.name.value) as FragmentDefinitionNode);
    const inner = kept(selectionSet);
    return inner.selections.length > 0 ? [{ kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet: inner }] : [];
  };
  return { ...operation, selectionSet: kept(operation.selectionSet) };
}
