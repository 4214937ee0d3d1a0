import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailableFor } from '../database/unavailable.ts';
import { type ErrorCode, PlatformError } from '../errors/errors.ts';
import type { RequestContext } from '../request.ts';

/** Categories of operations that have their own hourly limit (specification 8.4). */
export type RateCategory = 'billing' | 'provisioning' | 'export' | 'account';
/** Priorities of queued requests, highest first (specification 8.4). */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** Creates an HTML error page for a browser. Returns undefined for other clients, which get JSON. */
export type ErrorPage = (error: PlatformError, request: FastifyRequest) => { headers: Record<string, string>; text: string } | undefined;

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates the HTML page of an error. Absent if the server has no HTML pages. */
    errorPage?: ErrorPage;
  }
  interface FastifyRequest {
    /**
     * The context of the request, with the authenticated caller. The edge sets it before any handler runs. A router
     * that runs alone (apps/router) has no edge, and leaves it null on `public` routes.
     */
    caller: RequestContext;
    /** The error that the response contains. A GraphQL response with status 200 can contain one too. */
    failure?: Pick<PlatformError, 'code' | 'message' | 'status'>;
  }
  interface FastifyContextConfig {
    /**
     * The credentials that a route checks.
     * - `public`: no credentials.
     * - `optional`: the credentials of the request, if it has any.
     * - `page`: the session cookie of the web pages. A request with an expired session counts as anonymous.
     * - `authenticated` (the default): the request must have credentials.
     */
    access?: 'public' | 'optional' | 'page' | 'authenticated';
    /** Weight of a request in the hourly and burst limits. Default by method: GET 1, POST 2, PUT 2, DELETE 3. */
    weight?: number;
    category?: RateCategory | null;
    /**
     * Priority of a request that waits because too many requests are running. `deferred`: the priority depends on the
     * body, and `request.enter` sets it. Default: normal.
     */
    priority?: Priority | 'deferred';
  }
}

/** The standard error body (specification section 7). */
export interface ErrorBody {
  error: { code: string; message: string; details: Record<string, unknown>; request_id: string };
}

/** The error body of a second-factor challenge (specification 2.4). It differs from the standard error body. */
export interface ChallengeBody {
  error: 'mfa_required';
  challenge_id: unknown;
  methods: unknown;
  message: string;
}

/**
 * Creates the error body of any thrown value. A value that is not a PlatformError becomes SERVICE_UNAVAILABLE or
 * INTERNAL_ERROR; the code that calls this function must log it.
 */
export function errorBody(error: unknown, requestId: string): ErrorBody | ChallengeBody {
  const known = toPlatformError(error);
  if (known.code === 'MFA_REQUIRED') {
    const { challenge_id, methods } = known.details;
    return { error: 'mfa_required', challenge_id, methods, message: known.message };
  }
  return { error: { code: known.code, message: known.message, details: known.details, request_id: requestId } };
}

/**
 * Returns a PlatformError unchanged. Any other error becomes SERVICE_UNAVAILABLE or INTERNAL_ERROR with the original
 * error as `cause`.
 */
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

/** The errors that replace Fastify's own errors, because Fastify's messages are written for developers of servers. */
const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this operation accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['INVALID_JSON', 'The body is empty, but Content-Type says that it is JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['INVALID_JSON', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'The length of the body does not match Content-Length.'],
  FST_ERR_BAD_URL: ['ROUTE_NOT_FOUND', 'The path is not a valid URL.'],
};

/** Returns the error that the caller gets for any value that is thrown during a request. */
export function shownAs(error: unknown, { raw }: Pick<FastifyRequest, 'raw'>): PlatformError {
  if (error instanceof PlatformError) return error;
  // the client does not get this error; without it, aborted uploads would be counted and logged as platform failures
  if (raw.errored && error === raw.errored)
    return new PlatformError('MALFORMED_REQUEST', 'The connection was closed before the whole body had arrived.', {}, { cause: error });
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown };
  const [known, message] = REFUSALS[String(code)] ?? [];
  if (known && message) return new PlatformError(known, message, {}, { cause: error });
  // the SyntaxError of Fastify's JSON parser has a status but no code
  if (error instanceof SyntaxError && statusCode === 400)
    return new PlatformError('INVALID_JSON', 'The body is not valid JSON.', {}, { cause: error });
  return toPlatformError(error);
}

/** Adds the name of a request header to `Vary`, because the response depends on this header (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '');
  const isNamed = names.split(',').some((one) => one.trim() === '*' || one.trim().toLowerCase() === name.toLowerCase());
  if (!isNamed) reply.header('vary', names ? `${names}, ${name}` : name);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Returns the `Retry-After` header if the details of the error contain the number of seconds until a retry may succeed.
 */
export const retryHeaders = ({ details: { retry_after: seconds } }: PlatformError): Record<string, string> =>
  typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};

/**
 * Returns the error that the response to a request contains. Platform failures (5xx) are logged with the request id, and the
 * response does not contain their details.
 */
export function failureOf(error: unknown, request: FastifyRequest): PlatformError {
  const shown = shownAs(error, request);
  request.failure = shown;
  if (shown.status >= 500) {
    request.caller?.log.error({ err: shown.cause ?? shown, method: request.method, route: request.routeOptions.url }, 'request failed');
  }
  return shown;
}

/** Sends the standard error body. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = failureOf(error, request);
  reply.code(shown.status).headers(retryHeaders(shown)).header('x-request-id', request.id);
  const { errorPage } = request.server;
  if (errorPage) addVary(reply, 'Accept');
  const page = errorPage?.(shown, request);
  if (page) return reply.headers(page.headers).send(page.text);
  return reply.type(JSON_TYPE).send(JSON.stringify(errorBody(shown, request.id)));
}
