import { PlatformError } from '../errors/errors.ts';

/** 503: the platform is temporarily unable to process the request. The caller should retry later. */
export class ServiceUnavailable extends PlatformError {
  constructor(message: string, retryAfter: number, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super('SERVICE_UNAVAILABLE', message, { ...details, retry_after: retryAfter }, options);
  }
}

/** Thrown if a COMMIT was sent and no response was received. The change may have been saved. */
export class CommitOutcomeUnknown extends Error {
  /** Code of the error. The ORM replaces this error by an error of its own class, but copies this code. */
  readonly code = 'COMMIT_OUTCOME_UNKNOWN';

  constructor(cause: unknown) {
    super('The connection was lost while the transaction was committed.', { cause });
    this.name = 'CommitOutcomeUnknown';
  }
}

/**
 * Delay in seconds before a retry may succeed: `RETRY_AFTER_S` after a failover or restart, `CONFLICT_RETRY_AFTER_S` after a lock timeout
 * or conflict.
 */
const RETRY_AFTER_S = 5;
const CONFLICT_RETRY_AFTER_S = 1;

/** SQLSTATE codes, or their first characters, by which PostgreSQL and poolers report that they are unavailable. */
const UNAVAILABLE_STATES = [
  '08', // connection exceptions; PgBouncer without a server
  '25006', // read-only: a standby, or a server whose writes were switched off
  '28', // the login is refused
  '3D000', // the database does not exist
  '53', // insufficient resources: disk full, out of memory, too many connections
  '57P', // the server is shutting down, has crashed, or is starting
  '58', // the files of the server cannot be read or written
];
/** First characters of SQLSTATE codes after which the server may be gone, so that it is unknown whether the statement was executed. */
const REFUSED_BY_SERVER = ['08', '57P', '58', 'XX'];
/** SQLSTATE codes of statements that failed because of other transactions or a time limit, and can be retried. */
const CONFLICT_STATES = new Set(['40001', '40P01', '55P03', '57014']);
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOSPC',
  'EPIPE',
  'EROFS',
  'ETIMEDOUT',
]);
/** Matches messages of errors that have no code: errors of the driver, the pool and PGlite. */
const MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end|PGlite is clos|The (?:database|server) closed|The listening connection is lost|The database is closed)/i;
const MAX_CAUSES = 5;

/**
 * Returns true if the server refused a statement, and is still available. The function checks the code, because the severity is in the
 * language of the server (`lc_messages`).
 */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error &&
  'severity' in error &&
  'code' in error &&
  typeof error.code === 'string' &&
  !REFUSED_BY_SERVER.some((state) => (error.code as string).startsWith(state));

/**
 * Returns the error for the caller if a database or file store is temporarily unavailable; undefined for any other
 * error.
 */
export function unavailableFor(error: unknown): ServiceUnavailable | undefined {
  for (const cause of causesOf(error)) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === 'COMMIT_OUTCOME_UNKNOWN')
      return new ServiceUnavailable(
        'The connection to the database was lost while your change was being saved, so it may or may not have been made. Get the record before you repeat the change.',
        RETRY_AFTER_S,
        { outcome: 'unknown' },
        { cause: error },
      );
    if (CONFLICT_STATES.has(code))
      return new ServiceUnavailable(
        'Another request was changing the same records. Repeat your request.',
        CONFLICT_RETRY_AFTER_S,
        {},
        { cause: error },
      );
    if (isUnavailable(code, cause)) {
      const text = `A service that the platform needs cannot be reached or cannot store anything. Try again in ${RETRY_AFTER_S} s.`;
      return new ServiceUnavailable(text, RETRY_AFTER_S, {}, { cause: error });
    }
  }
  return undefined;
}

/**
 * Yields the error and its causes. If a host has several addresses, only the error of the first address is included.
 */
function* causesOf(error: unknown): Generator<Error> {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth += 1) {
    yield cause;
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
}

const isUnavailable = (code: string, { message }: Error): boolean =>
  SYSTEM_CODES.has(code) ||
  (/^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_STATES.some((state) => code.startsWith(state))) ||
  MESSAGES.test(message);
