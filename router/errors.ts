import { type ExecutionResult, GraphQLError } from 'graphql';
import {
  type ErrorCode,
  type ErrorDetails,
  type FieldProblem,
  InvalidParameters,
  isErrorCode,
  PlatformError,
} from '../kernel/errors/errors.ts';
import type { Problems } from '../kernel/errors/problems.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import type { RequestContext } from '../kernel/request.ts';
import { UNREACHED } from './execution/send.ts';

export interface ErrorPolicy {
  /**
   * True if errors without a platform code are passed to callers unchanged. Set it only if the subgraphs mask internal
   * errors themselves.
   * By default, such an error is logged, and the caller gets INTERNAL_ERROR.
   */
  passForeignErrors: boolean;
}

/**
 * Converts errors for callers. `extensions` contains code, details and request id. Stack traces and messages of
 * unexpected errors are removed.
 */
export function presentErrors(errors: readonly GraphQLError[], context: RequestContext, policy: ErrorPolicy): GraphQLError[] {
  return errors.map((error) => present(error, context, policy));
}

function present(error: GraphQLError, context: RequestContext, { passForeignErrors }: ErrorPolicy): GraphQLError {
  const cause = rootCause(error);
  const extensions = error.extensions ?? {};
  if (cause instanceof GraphQLError) {
    if (isErrorCode(extensions.code)) return shown(error, platformErrorOf(cause.message, extensions), context);
    if (passForeignErrors && extensions.code !== UNREACHED) return passed(error, context);
  }
  const known = toPlatformError(cause);
  if (known.status >= 500 && known !== cause)
    context.log.error({ err: known.cause ?? known, path: error.path?.join('.') }, 'Operation failed');
  return shown(error, known, context);
}

const platformErrorOf = (message: string, { code, details }: Readonly<Record<string, unknown>>): PlatformError =>
  new PlatformError(code as ErrorCode, message, isDetails(details) ? details : {});

const isDetails = (value: unknown): value is ErrorDetails => typeof value === 'object' && value !== null && !Array.isArray(value);

function shown({ path, nodes, positions, source }: GraphQLError, known: PlatformError, { requestId }: RequestContext): GraphQLError {
  const { code, details, message } = known;
  return new GraphQLError(message, {
    path,
    nodes,
    positions,
    source,
    originalError: known,
    extensions: { code, details, request_id: requestId },
  });
}

/** Properties of `extensions` that GraphQL servers add for debugging. They are removed. */
const INTERNAL_EXTENSIONS = new Set(['stacktrace', 'exception', 'originalError']);

function passed({ message, path, extensions }: GraphQLError, { requestId }: RequestContext): GraphQLError {
  const kept = Object.entries(extensions ?? {}).filter(([name]) => !INTERNAL_EXTENSIONS.has(name));
  return new GraphQLError(message, { path, extensions: { code: 'INTERNAL_ERROR', ...Object.fromEntries(kept), request_id: requestId } });
}

/** Returns the original error. The executor and the planner may have wrapped it several times. */
function rootCause(error: Error): Error {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/**
 * Creates an error about the request itself: its syntax, its validation or a limit. `problem.field` is the part of the
 * request that is wrong.
 */
export function requestError(problem: FieldProblem, located?: GraphQLError): GraphQLError {
  const { code, details } = new InvalidParameters([problem]);
  const known = new PlatformError(code, problem.reason, details);
  const { nodes, source, positions } = located ?? {};
  return new GraphQLError(known.message, { nodes, source, positions, originalError: known, extensions: { ...known.extensions } });
}

/**
 * Creates the error for variables that do not match their types. The error names fields as callers do
 * (`input.items.0.price`). Returns undefined if all variables match.
 */
export function variableError({ listed, total }: Problems): GraphQLError | undefined {
  const [first, ...rest] = listed;
  if (!first) return undefined;
  const known = new InvalidParameters([first, ...rest], total);
  return new GraphQLError(known.message, { originalError: known, extensions: { ...known.extensions } });
}

/**
 * Rewrites the errors of a subgraph that rejected the caller's variables. Only a result without `data` is rewritten,
 * because in this case the subgraph has executed nothing.
 */
export function namingVariables(result: ExecutionResult): ExecutionResult {
  return result.errors && result.data === undefined ? { ...result, errors: result.errors.map(refusedVariable) } : result;
}

// matches the value without capturing it, because the value may be a secret
const REFUSED =
  /^Variable "\$(\w+)" (?:got invalid value (?:"(?:[^"\\]|\\.)*"|[^"])*?(?: at "([^"]+)")?; )?(?:Expected type "[^"]+"\. )?(.+)$/s;
const REASONS: readonly [RegExp, string][] = [
  [/^of required type .* was not provided\.$/s, 'is required'],
  [/^of non-null type .* must not be null\.$/s, 'must not be null'],
  [/( cannot represent [^:]*): .*$/s, '$1'],
];
/** Names of variables that the router creates. They do not come from the caller. */
const INTERNAL_VARIABLE = /^(representations|_)/;

/**
 * Rewrites an error about an invalid variable so that it names the field as callers do (`input.items.0.price`). Other
 * errors are returned unchanged.
 */
export function refusedVariable(error: GraphQLError): GraphQLError {
  const [, variable, at, words] = REFUSED.exec(error.message) ?? [];
  if (!variable || !words || INTERNAL_VARIABLE.test(variable)) return error;
  const reason = REASONS.reduce((text, [pattern, wording]) => text.replace(pattern, wording), words);
  const field = (at ?? variable).replace(/\[(\d+)\]/g, '.$1');
  const known = new InvalidParameters([{ field, reason }]);
  return new GraphQLError(known.message, { nodes: error.nodes, originalError: known, extensions: { ...known.extensions } });
}

export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}
