import { presented, shown } from './problem-presentation.ts';
import { inWords, type Resource } from './resource.ts';

/**
 * The HTTP status of every error code. Every error that a caller may see is a PlatformError with one of these codes
 * (specification section 7). The table of codes in docs/guide/errors.md is generated from this object.
 */
const STATUS = {
  INVALID_PARAMETERS: 400,
  INVALID_JSON: 400,
  MALFORMED_REQUEST: 400,
  UNSUPPORTED_VERSION: 400,
  SERVICE_UNAVAILABLE_AT_LOCATION: 400,
  LOCATION_NOT_SERVICEABLE: 400,
  INSUFFICIENT_BANDWIDTH: 400,
  INVALID_CREDENTIALS: 401,
  TOKEN_EXPIRED: 401,
  INVALID_SIGNATURE: 401,
  INSUFFICIENT_FUNDS: 402,
  PAYMENT_DECLINED: 402,
  INSUFFICIENT_PERMISSIONS: 403,
  IP_NOT_ALLOWED: 403,
  ACCESS_RESTRICTED: 403,
  ORGANIZATION_SUSPENDED: 403,
  ORGANIZATION_CLOSED: 403,
  KEY_SUSPENDED: 403,
  MFA_REQUIRED: 403,
  RESOURCE_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  ACCOUNT_SUSPENDED: 409,
  DUPLICATE_PAYMENT: 409,
  DUPLICATE_RESOURCE: 409,
  IDEMPOTENCY_CONFLICT: 409,
  INVALID_STATE: 409,
  SERVICE_CONFLICT: 409,
  SERVICE_MAINTENANCE: 409,
  STALE_RESOURCE: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  PROVISIONING_FAILED: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;
export const errorCodes = Object.keys(STATUS) as ErrorCode[];
export const statusOf = (code: ErrorCode): number => STATUS[code];
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(STATUS, code);

/**
 * Details of an error. They contain public values only, never SQL, a stack or a secret. `resource` is the kind of
 * record; each kind has the same name in all errors.
 */
export type ErrorDetails = Record<string, unknown> & { readonly resource?: Resource };

/** The only error class that callers get. The message tells the caller what to do next. */
export class PlatformError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return statusOf(this.code);
  }

  /** The code and details of the error. GraphQL copies them into `extensions`. */
  get extensions(): { code: ErrorCode; details: ErrorDetails } {
    return { code: this.code, details: this.details };
  }
}

/** One problem of one field of a request. `field` is a dotted path, in the spelling that the caller used. */
export interface FieldProblem {
  field: string;
  value?: unknown;
  reason: string;
}

/**
 * Maximum number of problems that an error lists. A longer list would not help the caller, and an attacker can send any
 * number of invalid values.
 */
export const MAX_LISTED_PROBLEMS = 20;

/**
 * 400: one or more parameters are not valid. `details` contains the first problem as `field`, `value` and `reason`, the
 * first 20 problems as `errors`, and the total number as `problems_total` (specification 7, docs/decisions/surface.md).
 */
export class InvalidParameters extends PlatformError {
  constructor(
    readonly problems: readonly [FieldProblem, ...FieldProblem[]],
    /** The total number of problems. Pass it if `problems` contains only some of them. */
    readonly total = problems.length,
  ) {
    const [first, ...others] = problems.slice(0, MAX_LISTED_PROBLEMS).map(presented);
    super('INVALID_PARAMETERS', `${first?.field}: ${first?.reason}`, { ...first, errors: [first, ...others], problems_total: total });
  }
}

/**
 * Refuses a request if the list of its problems is not empty.
 * @throws InvalidParameters with the problems
 */
export function refuse([first, ...rest]: readonly FieldProblem[]): void {
  if (first) throw new InvalidParameters([first, ...rest]);
}

/** 404 for a record that does not exist for this caller. Records of other organizations get the same error. */
export class ResourceNotFound extends PlatformError {
  constructor(resource: Resource, id: string) {
    super('RESOURCE_NOT_FOUND', `There is no ${inWords(resource)} ${shown(id)}.`, { resource, id: shown(id) });
  }
}

/** 409 for a transition that the state machine of the record does not allow. */
export class InvalidState extends PlatformError {
  constructor(resource: string, from: string, to: string, allowed: readonly string[]) {
    const next = allowed.length ? `only to ${allowed.join(', ')}` : 'nowhere, it is final';
    super('INVALID_STATE', `A ${resource} cannot go from ${from} to ${to}, ${next}.`, { from, to, allowed });
  }
}

/**
 * 409 for an update of a record that has changed since the caller read it. `current` is the current entity tag of the
 * record (REST only).
 */
export class StaleResource extends PlatformError {
  constructor(current?: string) {
    super(
      'STALE_RESOURCE',
      'The record has changed since you read it. Get it again and repeat your change.',
      current === undefined ? {} : { current },
    );
  }
}

/** 403: the caller lacks the permission in `details.required`. */
export class InsufficientPermissions extends PlatformError {
  constructor(required: string) {
    super('INSUFFICIENT_PERMISSIONS', `This operation needs the permission ${required}.`, { required });
  }
}

/** 403: the caller is limited to some accounts, and the operation concerns the whole organization. */
export class LimitedToAccounts extends PlatformError {
  constructor() {
    super(
      'INSUFFICIENT_PERMISSIONS',
      'This operation concerns the whole organization, but your access is limited to some of its accounts.',
      {
        reason: 'account_scope',
      },
    );
  }
}

/** 401: the request has no credentials, and the operation needs them. */
export class CredentialsMissing extends PlatformError {
  constructor() {
    super('INVALID_CREDENTIALS', 'Send an API key or access token: Authorization: Bearer <key>, or X-API-Key: <key>.');
  }
}

/**
 * 403: the user must pass a second factor first (specification 2.4, 3.6). Before the error is sent, the challenge is
 * added to `details`: `challenge_id` and `methods`.
 */
export class SecondFactorRequired extends PlatformError {
  constructor(details: ErrorDetails = {}) {
    super(
      'MFA_REQUIRED',
      'Complete the second-factor challenge (POST /v1/auth/mfa/verify, in GraphQL verifyMfaChallenge), then repeat the request.',
      details,
    );
  }
}
