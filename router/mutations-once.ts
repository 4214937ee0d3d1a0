import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Principal } from '../kernel/access/principal.ts';
import { InvalidParameters, isErrorCode, statusOf } from '../kernel/errors/errors.ts';
import {
  checkKey,
  fingerprintOf,
  type IdempotencyStore,
  idempotencyScope,
  isStored,
  respondOnce,
} from '../kernel/idempotency/idempotency.ts';
import type { AdmittedOperation, GraphOperation, Router } from './router.ts';

export interface MutationsOnceOptions {
  store: IdempotencyStore;
  /**
   * Checks that the caller may use these root fields of Mutation.
   * @throws PlatformError if the caller has no permission, or must verify a second factor first
   */
  authorize(fields: readonly string[], principal: Principal): void;
}

export interface OnceResult {
  result: ExecutionResult;
  isReplayed: boolean;
}

/**
 * Runs each mutation with an idempotency key once. A repeated request gets the first response. REST uses the same store
 * and rules (kernel/idempotency/idempotency.ts).
 * A response is stored as a whole, even if some fields failed and others succeeded.
 */
export class MutationsOnce {
  constructor(
    private readonly router: Router,
    /** If the options are undefined, requests with an idempotency key are rejected. */
    private readonly options: MutationsOnceOptions | undefined,
  ) {}

  /**
   * Executes an operation. A mutation with an idempotency key is executed at most once.
   * @throws PlatformError INVALID_PARAMETERS if the key is malformed
   * @throws PlatformError IDEMPOTENCY_CONFLICT if the key was used for another request
   */
  async execute(request: GraphOperation, admitted: AdmittedOperation, sentKey: unknown): Promise<OnceResult> {
    const { operation } = admitted;
    const { fields } = operation.price;
    const { principal, log } = request.context;
    // callers of public operations are anonymous, so they must not share responses
    const isOnce = operation.node.operation === 'mutation' && principal !== Principal.nobody && !this.router.isPublic(fields);
    if (!isOnce || sentKey === undefined) return { result: await this.router.execute(request, admitted), isReplayed: false };

    const key = checkKey(sentKey);
    if (!this.options) throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'is not supported here' }]);
    try {
      this.options.authorize(fields, principal);
    } catch (error) {
      return { result: { errors: [await this.router.refusal(error, request.context)] }, isReplayed: false };
    }
    let fresh: ExecutionResult | undefined;
    const input = { query: operation.prepared.text, variables: request.variables ?? {} };
    const claim = {
      store: this.options.store,
      scope: idempotencyScope(principal),
      key,
      fingerprint: fingerprintOf('GRAPHQL', operation.name ?? '', input),
      lost: (error: unknown) => log.error({ err: error }, 'The response for an Idempotency-Key could not be stored'),
    };
    const run = async () => {
      fresh = await this.router.execute(request, admitted);
      if (!isWorthKeeping(fresh, fields.length)) throw new NotKept();
      return { status: 200, headers: {}, body: JSON.stringify(fresh) };
    };
    try {
      const { body } = await respondOnce(claim, run, (error) => Promise.reject(error) as never);
      return fresh ? { result: fresh, isReplayed: false } : { result: restored(body), isReplayed: true };
    } catch (error) {
      if (error instanceof NotKept && fresh) return { result: fresh, isReplayed: false };
      throw error;
    }
  }
}

/**
 * Thrown to release the key without storing the response. The mutation has changed nothing, so a retry may have another
 * result.
 */
class NotKept extends Error {}

/**
 * Returns true if a response must be stored: something may have been changed, or a retry would fail in the same way.
 * Root fields of a mutation run one after the other. If a non-null field fails, `data` is null, and the response does
 * not show which fields succeeded.
 */
function isWorthKeeping({ data, errors = [] }: ExecutionResult, fieldCount: number): boolean {
  if (errors.length === 0 || (data === null && fieldCount > 1)) return true;
  const failed = new Set(errors.filter(({ path }) => (path?.length ?? 0) <= 1).map(({ path }) => path?.[0]));
  // The change was made if the error is below a root field. It may have been made if the commit failed.
  if (errors.some(({ path, extensions }) => (path?.length ?? 0) > 1 || Object(extensions.details).outcome === 'unknown')) return true;
  if (data && Object.keys(data).some((name) => !failed.has(name))) return true;
  return errors.every(({ extensions: { code } }) => isErrorCode(code) && isStored(statusOf(code)));
}

/** Restores a stored result, including the errors in the first response. */
function restored(body: string): ExecutionResult {
  const { errors, ...rest } = JSON.parse(body) as { data?: Record<string, unknown>; errors?: GraphQLFormattedError[] };
  return errors ? { ...rest, errors: errors.map(asError) } : rest;
}

function asError({ message, locations, path, extensions }: GraphQLFormattedError): GraphQLError {
  const error = new GraphQLError(message, { path, extensions });
  return Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
}
