import type { ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';
import { isErrorCode, statusOf } from '../kernel/errors/errors.ts';
import { TAKES_NOTHING } from './edge/plans.ts';
import { type Fragments, rootFieldNames, rootFields } from './limits.ts';

/** What an operation costs against the rate limit. */
export interface OperationPrice {
  /** A read 1, a change 2, for each root field; who knows a field better adds to it. At least 1, as a refused request costs. */
  readonly weight: number;
  /** How many requests of the month it is: as many as over REST, and at least one. */
  readonly requests: number;
  /** The names of its root fields, each as often as it is asked: some have a limit of their own. */
  readonly fields: readonly string[];
}

/** What is charged for a request before its operation is known, and all that one which is refused costs. */
export const REQUEST_PRICE: OperationPrice = { weight: 1, requests: 1, fields: [] };

export function priceOf(operation: OperationDefinitionNode, fragments: Fragments): OperationPrice {
  const fields = rootFieldNames(operation, fragments);
  const weight = fields.reduce((sum, name) => sum + fieldWeight(operation.operation, name), 0);
  const requests = fields.filter((name) => !name.startsWith('__')).length;
  return { weight: Math.max(1, weight), requests: Math.max(1, requests), fields };
}

/** What an operation costs beyond the request that brought it, which was charged before. */
export const beyondRequest = ({ weight, requests, fields }: OperationPrice): OperationPrice => ({
  weight: weight - REQUEST_PRICE.weight,
  requests: requests - REQUEST_PRICE.requests,
  fields,
});

/** The root fields that were refused before they did anything, each as often as it was asked. */
export function refusedFields(
  { errors = [] }: ExecutionResult,
  operation: { node: OperationDefinitionNode; fragments: Fragments },
): string[] {
  const refusals = errors.filter(isRefusal);
  if (refusals.length === 0) return [];
  const isWhole = refusals.some(({ path }) => !path?.length);
  const keys = new Set(refusals.flatMap(({ path }) => (path?.length === 1 ? [path[0]] : [])));
  return rootFields(operation.node, operation.fragments)
    .filter(({ name, alias = name }) => isWhole || keys.has(alias.value))
    .map(({ name }) => name.value);
}

const isRefusal = ({ extensions: { code } }: GraphQLError): boolean => isErrorCode(code) && TAKES_NOTHING.has(statusOf(code));

/** What a root field counts against the rate limit, unless who serves it knows better. */
export function fieldWeight(type: OperationDefinitionNode['operation'], name: string): number {
  if (name.startsWith('__')) return 0;
  return type === 'mutation' ? 2 : 1;
}
