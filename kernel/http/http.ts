import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailableFor } from '../database/unavailable.ts';
import { type ErrorCode, PlatformError } from '../errors/errors.ts';
import type { RequestContext } from '../request.ts';

/** Operation categories of specification 8.4 that have their own hourly limit. */
export type RateCategory = 'billing' | 'provisioning' | 'export' | 'account';
/** Priorities of the queue in specification 8.4, highest first. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** Creates an HTML error page for a person in a browser. Returns undefined for other clients, which get JSON. */
export type ErrorPage = (error: PlatformError, request: FastifyRequest) => { headers: Record<string, string>; text: string } | undefined;

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent if there are no pages. */
    errorPage?: ErrorPage;
  }
  interface FastifyRequest {
    /** The authenticated request, set by the edge before any handler runs. On a `public` route it may be anonymous (null). */
    caller: RequestContext;
  }
  interface FastifyContextConfig {
    /**
     * Which credentials a route checks. `public`: none. `optional`: those that are sent. `page`: the session cookie of the web pages,
     * where an expired session counts as anonymous. Default: authenticated.
     */
    access?: 'public' | 'optional' | 'page' | 'authenticated';
    /** Cost of the request in the hourly and burst limits. Default by method: GET 1, POST 2, PUT 2, DELETE 3. */
    weight?: number;
    category?: RateCategory | null;
    /**
     * Order in which requests get a slot when all are taken. `deferred`: it is known only with the body, and `request.enter` sets it.
     * Default: normal.
     */
    priority?: Priority | 'deferred';
  }
}

/** The standard error body (specification section 7). */
export interface ErrorBody {
  error: { code: string; message: string; details: Record<string, unknown>; request_id: string };
}

/** The body of a second-factor challenge (specification 2.4), which differs from the standard one. */
export interface ChallengeBody {
  error: 'mfa_required';
  challenge_id: unknown;
  methods: unknown;
  message: string;
}

/**
 * Creates the error body of any thrown value. An error that is not a PlatformError becomes SERVICE_UNAVAILABLE or INTERNAL_ERROR, and the
 * caller must log it.
 */
export function errorBody(error: unknown, requestId: string): ErrorBody | ChallengeBody {
  const known = toPlatformError(error);
  if (known.code === 'MFA_REQUIRED') {
    const { challenge_id, methods } = known.details;
    return { error: 'mfa_required', challenge_id, methods, message: known.message };
  }
  return { error: { code: known.code, message: known.message, details: known.details, request_id: requestId } };
}

/** Returns the error itself if it may be shown; otherwise SERVICE_UNAVAILABLE or INTERNAL_ERROR with the original as `cause`. */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const unavailable = unavailableFor(error);
  if (unavailable) return unavailable;
  return new PlatformError(
    'INTERNAL_ERROR',
    'An internal error occurred. Try again. If the error persists, contact support with the request id.',
    {},
    { cause: error },
  );
}

/** Replaces Fastify's own errors, whose messages are written for developers of servers. */
const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this operation accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['INVALID_JSON', 'The body is empty, but Content-Type says that it is JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['INVALID_JSON', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'The length of the body does not match Content-Length.'],
  FST_ERR_BAD_URL: ['ROUTE_NOT_FOUND', 'The path is not a valid URL.'],
};

/** Returns the error that a caller sees for anything thrown during a request. */
export function shownAs(error: unknown, { raw }: Pick<FastifyRequest, 'raw'>): PlatformError {
  if (error instanceof PlatformError) return error;
  // nobody reads this response, but it prevents aborted uploads from being counted and logged as platform failures
  if (raw.errored && error === raw.errored)
    return new PlatformError('MALFORMED_REQUEST', 'The connection was closed before the whole body had arrived.', {}, { cause: error });
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown };
  const [known, message] = REFUSALS[String(code)] ?? [];
  if (known && message) return new PlatformError(known, message, {}, { cause: error });
  // Fastify's JSON parser throws a SyntaxError that has only the status
  if (error instanceof SyntaxError && statusCode === 400)
    return new PlatformError('INVALID_JSON', 'The body is not valid JSON.', {}, { cause: error });
  return toPlatformError(error);
}

/** Adds a request header to `Vary`: the response also depends on it (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '');
  const isNamed = names.split(',').some((one) => one.trim() === '*' || one.trim().toLowerCase() === name.toLowerCase());
  if (!isNamed) reply.header('vary', names ? `${names}, ${name}` : name);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the `Retry-After` header, if the error says when a retry may succeed. */
export const retryHeaders = ({ details: { retry_after: seconds } }: PlatformError): Record<string, string> =>
  typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};

/** Sends the standard error body. Platform failures are logged with the request id, and their details are not sent. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = shownAs(error, request);
  if (shown.status >= 500) {
    request.caller?.log.error({ err: shown.cause ?? shown, method: request.method, route: request.routeOptions.url }, 'request failed');
  }
  reply.code(shown.status).headers(retryHeaders(shown)).header('x-request-id', request.id);
  const { errorPage } = request.server;
  if (errorPage) addVary(reply, 'Accept');
  const page = errorPage?.(shown, request);
  if (page) return reply.headers(page.headers).send(page.text);
  return reply.type(JSON_TYPE).send(JSON.stringify(errorBody(shown, request.id)));
}
