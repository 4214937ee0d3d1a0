import { hash } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { InvalidParameters, PlatformError } from '../errors/errors.ts';

/** Whose keys they are: two callers may use the same key. */
export interface IdempotencyScope {
  readonly organizationId: string;
  readonly callerId: string;
  /** What the previous release takes for the caller, where that is something else. */
  readonly formerCallerId?: string;
}

/**
 * The scope of a caller: who it is and the OAuth client that acts for it, and no session. Who signs in again and repeats a request
 * must not pay twice.
 */
export function idempotencyScope({ organizationId, id, clientId, accounts }: Principal): IdempotencyScope {
  // what was answered to who saw other accounts is not repeated
  if (accounts) return { organizationId, callerId: `${id}@${clientId ?? ''}/${hash('sha256', accounts.join(), 'base64url')}` };
  // a client that acts for itself
  if (!clientId || clientId === id) return { organizationId, callerId: id };
  return { organizationId, callerId: `${id}@${clientId}`, formerCallerId: id };
}

/** Our failure below the root field of a mutation, or while it was committed: the change itself is done, or may be. */
export class FailedAfterEffect extends PlatformError {}

/** An answer as it is kept and replayed. */
export interface Answer {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export type Begun =
  /** Ours to run. `lease` proves it when it is completed. */
  | { state: 'new'; lease: string }
  | ({ state: 'replay' } & Answer)
  /** The key was used with another request. */
  | { state: 'conflict' }
  /** The same request is being worked on. */
  | { state: 'running' };

/** Where the first answer to an `Idempotency-Key` is kept, for 24 hours. */
export interface IdempotencyStore {
  /** How often a request that is being worked on extends its lease. */
  readonly extendEveryMs: number;
  /** Claims a key in one atomic step: of any number at once, one gets `new`. */
  begin(scope: IdempotencyScope, key: string, fingerprint: string): Promise<Begun>;
  /** Keeps the key claimed for as long again. Without effect where the lease was lost. */
  extend(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
  /** Keeps the answer. Without effect where the lease was lost. */
  complete(scope: IdempotencyScope, key: string, lease: string, answer: Answer): Promise<void>;
  /** Frees the key, for what may be tried again. */
  abandon(scope: IdempotencyScope, key: string, lease: string): Promise<void>;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws InvalidParameters */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidParameters([{ field: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }]);
}

/** One digest for the same operation with the same input, whatever the white space in a JSON body. */
export const fingerprintOf = (method: string, operation: string, input: unknown): string =>
  hash('sha256', `${method} ${operation}\n${JSON.stringify(input ?? null)}`);

/** What may come out otherwise when it is tried again: bad input, missing rights (or a second factor), limits, our own failures. */
const NOT_KEPT: ReadonlySet<number> = new Set([400, 401, 403, 413, 415, 429]);
export const isKept = (status: number): boolean => status < 500 && !NOT_KEPT.has(status);

export interface Claim {
  store: IdempotencyStore;
  scope: IdempotencyScope;
  key: string;
  fingerprint: string;
  /** Told when the store fails after the operation ran: the caller gets the answer all the same. */
  lost(error: unknown): void;
}

/**
 * Runs `answer` at most once for a key and replays what it answered. A refusal that is kept (`isKept`) is an answer too:
 * `refusal` makes it of an error; so is a failure of ours after the change was made, which must not be made twice. The lease is
 * extended for as long as the request takes. A process that dies between the commit of the operation and `complete` leaves a key
 * whose request runs again when it is repeated after the store's lease time.
 */
export async function answerOnce(claim: Claim, answer: () => Promise<Answer>, refusal: (error: PlatformError) => Answer): Promise<Answer> {
  const { store, scope, key, fingerprint, lost } = claim;
  const begun = await store.begin(scope, key, fingerprint);
  if (begun.state === 'conflict')
    throw conflict(key, 'This Idempotency-Key was used with another request. Use a new key for a new request.');
  if (begun.state === 'running')
    throw conflict(key, 'The first request with this Idempotency-Key is still being worked on. Try again in a few seconds.');
  if (begun.state === 'replay')
    return { status: begun.status, body: begun.body, headers: { ...begun.headers, 'idempotent-replayed': 'true' } };
  const extending = setInterval(() => void store.extend(scope, key, begun.lease).catch(lost), store.extendEveryMs);
  const answered = answer().finally(() => clearInterval(extending));
  const first = await answered.catch(async (error: unknown) => {
    if (error instanceof PlatformError && (isKept(error.status) || error instanceof FailedAfterEffect)) return refusal(error);
    await store.abandon(scope, key, begun.lease).catch(lost);
    throw error;
  });
  await store.complete(scope, key, begun.lease, first).catch(lost);
  return first;
}

const conflict = (key: string, message: string): PlatformError =>
  new PlatformError('IDEMPOTENCY_CONFLICT', message, { field: 'Idempotency-Key', value: key });
