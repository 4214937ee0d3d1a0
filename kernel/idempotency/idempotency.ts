import { hash } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { InvalidParameters, PlatformError } from '../errors/errors.ts';

/** The owner of an idempotency key. Different owners may use the same key for different requests. */
export interface IdempotencyScope {
  readonly organizationId: string;
  readonly callerId: string;
  /** Id by which the previous release identifies the same caller. Undefined if it equals `callerId`. */
  readonly formerCallerId?: string;
}

/**
 * Returns the scope of a caller. It depends on the id of the caller and the OAuth client that acts for the caller, but
 * not on the session: a user who logs in again and retries a payment must get the stored response.
 */
export function idempotencyScope({ organizationId, id, clientId, accounts }: Principal): IdempotencyScope {
  // callers who see different accounts must not get the same stored response
  if (accounts) return { organizationId, callerId: `${id}@${clientId ?? ''}/${hash('sha256', accounts.join(), 'base64url')}` };
  // no OAuth client, or a client that acts for itself
  if (!clientId || clientId === id) return { organizationId, callerId: id };
  return { organizationId, callerId: `${id}@${clientId}`, formerCallerId: id };
}

/**
 * Thrown if the platform fails after a mutation may have made its change: while a field of its result is resolved, or during the commit.
 */
export class FailedAfterEffect extends PlatformError {}

/** A stored response, which is returned again when the request is repeated. */
export interface StoredResponse {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export type ClaimOutcome =
  /** This process must execute the request. With `lease`, it later proves that it still owns the key. */
  | { state: 'new'; lease: string }
  | ({ state: 'replay' } & StoredResponse)
  /** The key was used before with a different request. */
  | { state: 'conflict' }
  /** The first request with the key is still running. */
  | { state: 'running' };

/** Stores the first response to an `Idempotency-Key` for 24 hours. */
export interface IdempotencyStore {
  /** Interval, in milliseconds, at which a running request extends its lease. */
  readonly extendEveryMs: number;
  /** Claims a key atomically. Of several concurrent requests, only one gets `new`. */
  begin(scope: IdempotencyScope, key: string, fingerprint: string): Promise<ClaimOutcome>;
  /**
   * Extends the lease of a key. The lease then expires one full lease time after this call. Has no effect if the key now has another lease.
   */
  extend(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
  /** Stores the response of a key. Has no effect if the key now has another lease. */
  complete(scope: IdempotencyScope, key: string, lease: string, answer: StoredResponse): Promise<void>;
  /** Releases the key, so that the request can be retried. Has no effect if the key now has another lease. */
  abandon(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Checks an `Idempotency-Key` and returns it.
 * @throws InvalidParameters if the key is not valid
 */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }]);
}

/** Returns a digest of an operation and its input. White space in a JSON body does not change the digest. */
export const fingerprintOf = (method: string, operation: string, input: unknown): string =>
  hash('sha256', `${method} ${operation}\n${JSON.stringify(input ?? null)}`);

/**
 * Statuses that are not stored, because a retry may succeed: invalid input, missing permission or second factor,
 * exceeded limits. Platform failures (5xx) are not stored either.
 */
const NOT_KEPT: ReadonlySet<number> = new Set([400, 401, 403, 413, 415, 429]);
export const isStored = (status: number): boolean => status < 500 && !NOT_KEPT.has(status);

export interface IdempotencyClaim {
  store: IdempotencyStore;
  scope: IdempotencyScope;
  key: string;
  fingerprint: string;
  /** Called if the store fails during or after the operation. The caller still gets the response. */
  lost(error: unknown): void;
}

/**
 * Runs `answer` and stores its response under the idempotency key. A repeated request gets the stored response, and
 * `answer` does not run again.
 * An error whose status is stored (`isStored`) is converted to a response by `refusal`, and this response is stored.
 * The same applies to a platform failure after the change was made (FailedAfterEffect), because the change must not be
 * made twice. Any other error releases the key, so that a retry runs `answer`.
 * The lease is extended while `answer` runs. If the process dies before `complete`, the lease expires, and a repeated
 * request runs `answer` again, even if the operation was committed.
 */
export async function respondOnce(
  claim: IdempotencyClaim,
  answer: () => Promise<StoredResponse>,
  refusal: (error: PlatformError) => StoredResponse,
): Promise<StoredResponse> {
  const { store, scope, key, fingerprint, lost } = claim;
  const begun = await store.begin(scope, key, fingerprint);
  if (begun.state === 'conflict')
    throw conflict(key, 'This Idempotency-Key was used with another request. Use a new key for a new request.');
  if (begun.state === 'running')
    throw conflict(key, 'The first request with this Idempotency-Key is still running. Try again in a few seconds.');
  if (begun.state === 'replay')
    return { status: begun.status, body: begun.body, headers: { ...begun.headers, 'idempotent-replayed': 'true' } };
  const extending = setInterval(() => void store.extend(scope, key, begun.lease).catch(lost), store.extendEveryMs);
  const answered = answer().finally(() => clearInterval(extending));
  const first = await answered.catch(async (error: unknown) => {
    if (error instanceof PlatformError && (isStored(error.status) || error instanceof FailedAfterEffect)) return refusal(error);
    await store.abandon(scope, key, begun.lease).catch(lost);
    throw error;
  });
  await store.complete(scope, key, begun.lease, first).catch(lost);
  return first;
}

const conflict = (key: string, message: string): PlatformError =>
  new PlatformError('IDEMPOTENCY_CONFLICT', message, { field: 'Idempotency-Key', value: key });
