import type { ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';
import { isErrorCode, statusOf } from '../kernel/errors/errors.ts';
import { TAKES_NOTHING } from './edge/plans.ts';
import { type Fragments, rootFieldNames, rootFields } from './limits.ts';

/** The price of an operation in the rate limit. */
export interface OperationPrice {
  /**
   * Weight in the hourly and burst limits: 1 for each root field of a query, 2 for each root field of a mutation. A
   * route may state a higher weight. The weight of an operation is at least 1.
   */
  readonly weight: number;
  /**
   * Number of requests in the monthly usage: one for each root field, and at least one. Over REST, each of these fields
   * would be one request.
   */
  readonly requests: number;
  /**
   * Names of the root fields. A field that is selected twice is listed twice. Some root fields have their own limit.
   */
  readonly fields: readonly string[];
}

/** The price that is charged before the operation is read. A rejected request costs only this price. */
export const REQUEST_PRICE: OperationPrice = { weight: 1, requests: 1, fields: [] };

export function priceOf(operation: OperationDefinitionNode, fragments: Fragments): OperationPrice {
  const fields = rootFieldNames(operation, fragments);
  const weight = fields.reduce((sum, name) => sum + fieldWeight(operation.operation, name), 0);
  const requests = fields.filter((name) => !name.startsWith('__')).length;
  return { weight: Math.max(1, weight), requests: Math.max(1, requests), fields };
}

/** Returns the rest of an operation's price, after `REQUEST_PRICE` was charged. */
export const beyondRequest = ({ weight, requests, fields }: OperationPrice): OperationPrice => ({
  weight: weight - REQUEST_PRICE.weight,
  requests: requests - REQUEST_PRICE.requests,
  fields,
});

/**
 * Returns the names of root fields that were rejected before they had an effect. A name is listed once for each
 * rejected selection of the field.
 */
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

/** Returns the default weight of a root field in the rate limit. A route may set another weight. */
export function fieldWeight(type: OperationDefinitionNode['operation'], name: string): number {
  if (name.startsWith('__')) return 0;
  return type === 'mutation' ? 2 : 1;
}
