import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, PlatformError } from './errors.ts';
import type { RequestContext } from './request.ts';

/** The operation categories of specification 8.4 that have an hourly limit of their own. */
export type RateCategory = 'billing' | 'provisioning' | 'export' | 'account';
/** The classes of the queue of specification 8.4, most urgent first. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated request, set by the edge before any handler runs; on a `public` route it may be anonymous (null). */
    caller: RequestContext;
  }
  interface FastifyContextConfig {
    /** `public` routes look at no credentials; `optional` ones at those that are sent. Default: authenticated. */
    access?: 'public' | 'optional' | 'authenticated';
    /** What the request costs against hour and burst. Default: by method (GET 1, POST 2, PUT 2, DELETE 3). */
    weight?: number;
    category?: RateCategory | null;
    /** Who is served first when all slots are taken. `deferred`: it is known when the body is, and `request.enter` says it. Default: normal. */
    priority?: Priority | 'deferred';
  }
}

/** The standard error body (specification section 7). */
export interface ErrorBody {
  error: { code: string; message: string; details: Record<string, unknown>; request_id: string };
}

/** The body of a challenge (specification 2.4), which is not the standard one. */
export interface ChallengeBody {
  error: 'mfa_required';
  challenge_id: unknown;
  methods: unknown;
  message: string;
}

/** Makes the error body of any thrown value; what is not a PlatformError becomes INTERNAL_ERROR and must be logged by the caller. */
export function errorBody(error: unknown, requestId: string): ErrorBody | ChallengeBody {
  const known = toPlatformError(error);
  if (known.code === 'MFA_REQUIRED') {
    const { challenge_id, methods } = known.details;
    return { error: 'mfa_required', challenge_id, methods, message: known.message };
  }
  return { error: { code: known.code, message: known.message, details: known.details, request_id: requestId } };
}

/** The error itself where it may be shown, else INTERNAL_ERROR with the original as `cause`. */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return new PlatformError(
    'INTERNAL_ERROR',
    'Something failed on our side. Try again, and quote the request id if it persists.',
    {},
    { cause: error },
  );
}

/** Fastify's own refusals in the platform's words: its messages are for developers of servers. */
const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this operation accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['INVALID_JSON', 'The body is empty, and Content-Type says that it is JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['INVALID_JSON', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['ROUTE_NOT_FOUND', 'The path is not a valid URL.'],
};

/** The error that a caller sees for whatever was thrown while a request was served. */
export function shownAs(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown };
  const [known, message] = REFUSALS[String(code)] ?? [];
  if (known && message) return new PlatformError(known, message, {}, { cause: error });
  // Fastify's JSON parser throws a SyntaxError with the status alone
  if (error instanceof SyntaxError && statusCode === 400)
    return new PlatformError('INVALID_JSON', 'The body is not valid JSON.', {}, { cause: error });
  return toPlatformError(error);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers with the standard error body. What is our fault is logged with the request's id, and says nothing about itself. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = shownAs(error);
  if (shown.status >= 500) {
    request.caller?.log.error({ err: shown.cause ?? shown, method: request.method, route: request.routeOptions.url }, 'request failed');
  }
  const { retry_after: retryAfter } = shown.details;
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
  return reply
    .code(shown.status)
    .header('x-request-id', request.id)
    .type(JSON_TYPE)
    .send(JSON.stringify(errorBody(shown, request.id)));
}
