import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { type FieldProblem, InvalidParameters, isErrorCode, PlatformError, ResourceNotFound } from '../kernel/errors/errors.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import { FailedAfterEffect } from '../kernel/idempotency/idempotency.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { type InputPlan, restFieldOf } from './input-plan.ts';
import { inRest } from './input-refusal.ts';
import { isObject } from './problems.ts';

export interface PageInfo {
  page: number;
  per_page: number;
  total: number;
  pages: number;
  has_more: boolean;
  next_cursor: string | null;
}

/** The result of a route. Its fields have REST names. */
export interface Found {
  data: unknown;
  page: PageInfo | undefined;
}

/**
 * Returns the result of a route from the graph's response.
 * @throws PlatformError if the graph returned an error
 * @throws ResourceNotFound if the record is null
 */
export function readResult(compiled: CompiledRoute, { data, errors }: ExecutionResult, values: Readonly<Record<string, unknown>>): Found {
  const root = data?.[compiled.field.name];
  const failed = compiled.route.partial && root ? errors?.filter((error) => !isOfPart(error)) : errors;
  if (failed?.length) throw effectOf(compiled, failed, graphError(failed, compiled.input));
  if (root === null || root === undefined) throw absent(compiled, values);
  const page = compiled.isPage ? (root as { nodes: unknown[]; pageInfo: PageInfo }) : undefined;
  const found = page ? page.nodes : root;
  compiled.convertEnums?.(found);
  return { data: compiled.convertLeaf ? compiled.convertLeaf(found) : found, page: page?.pageInfo };
}

/** Errors of a part of the response, which a partial response has as null. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['INSUFFICIENT_PERMISSIONS', 'SERVICE_UNAVAILABLE']);
const isOfPart = (error: GraphQLFormattedError | Error): boolean =>
  LEFT_OUT.has(extensionsOf(error).code) && 'path' in error && (error.path?.length ?? 0) > 1;

function absent({ resource, recordParameter, field }: CompiledRoute, values: Readonly<Record<string, unknown>>): Error {
  if (!resource) return new Error(`The graph returned null for ${field.name}, which its type does not allow.`);
  return new ResourceNotFound(resource, String(values[recordParameter ?? ''] ?? ''));
}

function effectOf({ kind }: CompiledRoute, errors: readonly (GraphQLFormattedError | Error)[], error: PlatformError): PlatformError {
  const isBelow = errors.some((one) => 'path' in one && (one.path?.length ?? 0) > 1);
  // The change may have been committed. If so, a retry with the same Idempotency-Key must not repeat it.
  const isDone = kind === 'mutation' && error.status >= 500 && (isBelow || error.details.outcome === 'unknown');
  return isDone ? new FailedAfterEffect(error.code, error.message, error.details, { cause: error.cause }) : error;
}

/** Converts the errors of the graph to one PlatformError, in which input fields have their REST names. */
export function graphError(errors: readonly (GraphQLFormattedError | Error)[], plan: InputPlan): PlatformError {
  const known = errors.find((error) => isErrorCode(extensionsOf(error).code)) ?? errors[0];
  const { code, details } = extensionsOf(known);
  if (code === 'BAD_USER_INPUT') return refusedVariable(known?.message ?? '', plan) ?? toPlatformError(known);
  if (!isErrorCode(code) || code === 'INTERNAL_ERROR') return toPlatformError(known);
  const shown = isObject(details) ? details : {};
  return code === 'INVALID_PARAMETERS'
    ? invalidParameters(shown, known?.message ?? '', plan)
    : new PlatformError(code, known?.message ?? '', shown);
}

const extensionsOf = (error: GraphQLFormattedError | Error | undefined): Record<string, unknown> =>
  error && 'extensions' in error && isObject(error.extensions) ? error.extensions : {};

function invalidParameters(details: Record<string, unknown>, message: string, plan: InputPlan): PlatformError {
  const listed = Array.isArray(details.errors) ? details.errors : [details];
  const [first, ...rest] = listed.filter(isProblem).map((problem) => inRest(plan, problem));
  const total = typeof details.problems_total === 'number' ? details.problems_total : undefined;
  return first ? new InvalidParameters([first, ...rest], total) : new PlatformError('INVALID_PARAMETERS', message, details);
}

const isProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && typeof value.field === 'string' && typeof value.reason === 'string';

/**
 * Matches GraphQL's error for an invalid variable, which occurs for scalars that only a subgraph validates:
 * `Variable "$input" got invalid value … at "input.dueDate"; must be …`
 */
const REFUSED_VARIABLE = /^Variable "\$(\w+)" got invalid value .*?(?: at "([\w.[\]]+)")?; (?:Expected type "[^"]+"\. )?(.+)$/s;

function refusedVariable(message: string, plan: InputPlan): PlatformError | undefined {
  const [, variable, at, reason] = REFUSED_VARIABLE.exec(message) ?? [];
  const path = (at ?? variable)?.replace(/\[(\d+)\]/g, '.$1');
  return path && reason ? new InvalidParameters([{ field: restFieldOf(plan, path), reason }]) : undefined;
}
