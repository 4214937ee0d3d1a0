import type { BatchFetchNode, FetchNode } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, parse, type SelectionSetNode } from 'graphql';
import { isObject, type JsonObject } from './merge.ts';
import type { Fetch, Run } from './step.ts';

/**
 * Error code for a subgraph that did not respond, or responded with invalid GraphQL. The message describes the
 * connection and is only for the log.
 */
export const UNREACHED = 'DOWNSTREAM_SERVICE_ERROR';

export function unreached(cause: unknown): GraphQLError {
  const originalError = cause instanceof Error ? cause : new Error(String(cause));
  return new GraphQLError(originalError.message, { originalError, extensions: { code: UNREACHED } });
}

/** A valid response of a subgraph. If the subgraph did not respond, `errors` contains an error about this. */
export interface Response {
  data: JsonObject | undefined;
  errors: readonly GraphQLError[];
}

/**
 * Sends the operation of a fetch to its subgraph. Adds to `variables` the variables of the client that this operation
 * uses.
 */
export type Send<C> = (run: Run<C>, variables: JsonObject) => Promise<Response>;

export function compileSend<C>(node: FetchNode | BatchFetchNode, document: DocumentNode): Send<C> {
  const { serviceName: subgraph, operationName, variableUsages = [] } = node;
  return async (run, variables) => {
    for (const name of variableUsages) if (name in run.variables) variables[name] = run.variables[name];
    try {
      const fetch: Fetch<C> = run.fetch;
      return read(await fetch({ subgraph, document, operationName, variables, context: run.context }), subgraph);
    } catch (error) {
      return { data: undefined, errors: [unreached(error)] };
    }
  };
}

/**
 * Reads the response of a subgraph.
 * @throws Error if the response is not valid GraphQL
 */
function read({ data, errors = [] }: ExecutionResult, subgraph: string): Response {
  if (isObject(data)) return { data, errors };
  if (data !== undefined && data !== null) throw new Error(`The subgraph ${subgraph} responded with data that is not an object.`);
  if (errors.length === 0) throw new Error(`The subgraph ${subgraph} responded with neither data nor errors.`);
  return { data: undefined, errors };
}

export const parseFetch = ({ operation }: FetchNode | BatchFetchNode): DocumentNode => parse(operation, { noLocation: true });

/**
 * Returns the response keys at the root of an operation, or the keys inside one of its root fields. Fields in fragments
 * are included.
 */
export function responseKeys({ definitions }: DocumentNode, field?: string): ReadonlySet<string> {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const root = operation?.selectionSet;
  if (field === undefined) return keysOf(root);
  const selected = root?.selections.find((selection) => selection.kind === Kind.FIELD && keyOf(selection) === field);
  return keysOf(selected?.kind === Kind.FIELD ? selected.selectionSet : undefined);
}

const keyOf = ({ alias, name }: { alias?: { value: string } | undefined; name: { value: string } }): string => (alias ?? name).value;

function keysOf(selectionSet: SelectionSetNode | undefined, keys = new Set<string>()): Set<string> {
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) keys.add(keyOf(selection));
    else if (selection.kind === Kind.INLINE_FRAGMENT) keysOf(selection.selectionSet, keys);
  }
  return keys;
}
