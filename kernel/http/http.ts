import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailableFor } from '../database/unavailable.ts';
import { type ErrorCode, PlatformError } from '../errors/errors.ts';
import type { RequestContext } from '../request.ts';

/** The operation categories of specification 8.4 that have an hourly limit of their own. */
export type RateCategory = 'billing' | 'provisioning' | 'export' | 'account';
/** The classes of the queue of specification 8.4, most urgent first. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** A page that says what went wrong, for a person who looks at it; undefined for everybody else, who gets JSON. */
export type ErrorPage = (error: PlatformError, request: FastifyRequest) => { headers: Record<string, string>; text: string } | undefined;

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent where there are no pages. */
    errorPage?: ErrorPage;
  }
  interface FastifyRequest {
    /** The authenticated request, set by the edge before any handler runs; on a `public` route it may be anonymous (null). */
    caller: RequestContext;
  }
  interface FastifyContextConfig {
    /**
     * `public` routes look at no credentials; `optional` ones at those that are sent; `page` ones at the cookie of who signed in to our
     * pages, and whose session has ended is nobody there. Default: authenticated.
     */
    access?: 'public' | 'optional' | 'page' | 'authenticated';
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

/** Makes the error body of any thrown value; what is not a PlatformError becomes SERVICE_UNAVAILABLE or INTERNAL_ERROR and must be logged by the caller. */
export function errorBody(error: unknown, requestId: string): ErrorBody | ChallengeBody {
  const known = toPlatformError(error);
  if (known.code === 'MFA_REQUIRED') {
    const { challenge_id, methods } = known.details;
    return { error: 'mfa_required', challenge_id, methods, message: known.message };
  }
  return { error: { code: known.code, message: known.message, details: known.details, request_id: requestId } };
}

/** The error itself where it may be shown, else SERVICE_UNAVAILABLE or INTERNAL_ERROR with the original as `cause`. */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const unavailable = unavailableFor(error);
  if (unavailable) return unavailable;
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
export function shownAs(error: unknown, { raw }: Pick<FastifyRequest, 'raw'>): PlatformError {
  if (error instanceof PlatformError) return error;
  // nobody reads the response, but what a client breaks off is not counted and logged as our fault
  if (raw.errored && error === raw.errored)
    return new PlatformError('MALFORMED_REQUEST', 'The connection was closed before the whole body had arrived.', {}, { cause: error });
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown };
  const [known, message] = REFUSALS[String(code)] ?? [];
  if (known && message) return new PlatformError(known, message, {}, { cause: error });
  // Fastify's JSON parser throws a SyntaxError with the status alone
  if (error instanceof SyntaxError && statusCode === 400)
    return new PlatformError('INVALID_JSON', 'The body is not valid JSON.', {}, { cause: error });
  return toPlatformError(error);
}

/** Says that the response also depends on this request header (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '');
  const isNamed = names.split(',').some((one) => one.trim() === '*' || one.trim().toLowerCase() === name.toLowerCase());
  if (!isNamed) reply.header('vary', names ? `${names}, ${name}` : name);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `Retry-After`, where an error says when the request may succeed. */
export const retryHeaders = ({ details: { retry_after: seconds } }: PlatformError): Record<string, string> =>
  typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};

/** Answers with the standard error body. What is our fault is logged with the request's id, and says nothing about itself. */
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
