import type { ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';
import { isErrorCode, statusOf } from '../kernel/errors/errors.ts';
import { TAKES_NOTHING } from './edge/plans.ts';
import { type Fragments, rootFieldNames, rootFields } from './limits.ts';

/** The price of an operation in the rate limit. */
export interface OperationPrice {
  /** 1 per root field of a query, 2 per root field of a mutation; routes may add to it. At least 1, the cost of a refused request. */
  readonly weight: number;
  /** Number of requests in the monthly usage: as many as over REST, and at least one. */
  readonly requests: number;
  /** Names of its root fields, one for each selection: some have their own limit. */
  readonly fields: readonly string[];
}

/** The price charged before the operation is known. A refused request costs only this. */
export const REQUEST_PRICE: OperationPrice = { weight: 1, requests: 1, fields: [] };

export function priceOf(operation: OperationDefinitionNode, fragments: Fragments): OperationPrice {
  const fields = rootFieldNames(operation, fragments);
  const weight = fields.reduce((sum, name) => sum + fieldWeight(operation.operation, name), 0);
  const requests = fields.filter((name) => !name.startsWith('__')).length;
  return { weight: Math.max(1, weight), requests: Math.max(1, requests), fields };
}

/** The price of an operation without the price of its request, which was charged before. */
export const beyondRequest = ({ weight, requests, fields }: OperationPrice): OperationPrice => ({
  weight: weight - REQUEST_PRICE.weight,
  requests: requests - REQUEST_PRICE.requests,
  fields,
});

/** Returns the root fields that were refused before they had an effect, one for each selection. */
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

/** The default weight of a root field in the rate limit. Routes may set another. */
export function fieldWeight(type: OperationDefinitionNode['operation'], name: string): number {
  if (name.startsWith('__')) return 0;
  return type === 'mutation' ? 2 : 1;
}
