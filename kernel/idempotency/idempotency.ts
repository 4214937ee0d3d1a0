import { hash } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { InvalidParameters, PlatformError } from '../errors/errors.ts';

/** The owner of an idempotency key: different callers may use the same key. */
export interface IdempotencyScope {
  readonly organizationId: string;
  readonly callerId: string;
  /** The caller id that the previous release uses, if it differs. */
  readonly formerCallerId?: string;
}

/**
 * The scope of a caller: its id and the OAuth client that acts for it, but not the session. A user who logs in again and retries a request
 * must not pay twice.
 */
export function idempotencyScope({ organizationId, id, clientId, accounts }: Principal): IdempotencyScope {
  // a response is not replayed to a caller who sees other accounts
  if (accounts) return { organizationId, callerId: `${id}@${clientId ?? ''}/${hash('sha256', accounts.join(), 'base64url')}` };
  // an OAuth client that acts for itself
  if (!clientId || clientId === id) return { organizationId, callerId: id };
  return { organizationId, callerId: `${id}@${clientId}`, formerCallerId: id };
}

/** A platform failure below the root field of a mutation or during its commit: the change is done, or may be. */
export class FailedAfterEffect extends PlatformError {}

/** A response as stored and replayed. */
export interface StoredResponse {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export type ClaimOutcome =
  /** This process must run the request. `lease` proves ownership when it completes. */
  | { state: 'new'; lease: string }
  | ({ state: 'replay' } & StoredResponse)
  /** The key was used with a different request. */
  | { state: 'conflict' }
  /** The same request is still running. */
  | { state: 'running' };

/** Stores the first response to an `Idempotency-Key` for 24 hours. */
export interface IdempotencyStore {
  /** How often a running request extends its lease. */
  readonly extendEveryMs: number;
  /** Claims a key atomically: of any number of concurrent requests, one gets `new`. */
  begin(scope: IdempotencyScope, key: string, fingerprint: string): Promise<ClaimOutcome>;
  /** Extends the lease by its full time. Has no effect if the lease was lost. */
  extend(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
  /** Stores the response. Has no effect if the lease was lost. */
  complete(scope: IdempotencyScope, key: string, lease: string, answer: StoredResponse): Promise<void>;
  /** Releases the key, so that the request can be retried. */
  abandon(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws InvalidParameters if the key is not valid */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }]);
}

/** A digest of an operation and its input. White space in a JSON body does not change it. */
export const fingerprintOf = (method: string, operation: string, input: unknown): string =>
  hash('sha256', `${method} ${operation}\n${JSON.stringify(input ?? null)}`);

/**
 * Statuses that a retry may change: invalid input, missing permissions (or second factor), limits. Platform failures (5xx) are not stored
 * either.
 */
const NOT_KEPT: ReadonlySet<number> = new Set([400, 401, 403, 413, 415, 429]);
export const isStored = (status: number): boolean => status < 500 && !NOT_KEPT.has(status);

export interface IdempotencyClaim {
  store: IdempotencyStore;
  scope: IdempotencyScope;
  key: string;
  fingerprint: string;
  /** Called if the store fails after the operation ran. The caller gets the response all the same. */
  lost(error: unknown): void;
}

/**
 * Runs `answer` at most once per key and replays its response.
 * An error that is stored (`isKept`) counts as a response, which `refusal` creates. So does a platform failure after the change was made,
 * because the change must not be made twice.
 * The lease is extended while the request runs. If a process dies between the commit of the operation and `complete`, a repeated request
 * runs again after the lease time.
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
