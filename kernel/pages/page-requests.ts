import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidParameters, PlatformError } from '../errors/errors.ts';
import { acceptForms } from '../http/bodies.ts';
import { retryHeaders, shownAs } from '../http/http.ts';
import type { ClientInfo } from '../request.ts';
import { messagePage } from './message.page.ts';
import { pageHeaders } from './page-headers.ts';

/** The response to a page request: a page or a redirect. */
export type PageResponse = { page: string; status?: number; formTargets?: readonly string[] } | { location: string };

/** The fields of a submitted form as texts. If a name is repeated, the first value counts. */
export type Form = Readonly<Record<string, string>>;

const FORM_BYTES = 65_536;
/** Matches the character U+0000 in the fields of a sent HTML form. PostgreSQL cannot store this character. */
const NUL = /%00|\0/;

/** Makes all routes of a Fastify scope accept HTML forms, and no other bodies. */
export const acceptPageForms = (scope: FastifyInstance): void => acceptForms(scope, FORM_BYTES, formIn);

function formIn(text: string): unknown {
  if (NUL.test(text)) throw new InvalidParameters([{ field: 'body', reason: 'must not contain U+0000' }]);
  return parse(text);
}

export function formOf({ body }: FastifyRequest): Form {
  const entries = Object.entries((body ?? {}) as Record<string, string | string[]>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]));
}

/** Returns the information about the client that the edge has collected. */
export const clientInfoOf = ({ ip, headers, caller }: FastifyRequest): ClientInfo =>
  caller?.client ?? { ip, userAgent: headers['user-agent'] };

export function sendPage(reply: FastifyReply, answer: PageResponse): FastifyReply {
  if ('location' in answer) return reply.headers(pageHeaders()).redirect(answer.location, 303);
  const { status = 200, page, formTargets } = answer;
  return reply.code(status).headers(pageHeaders(formTargets)).send(page);
}

/**
 * Refuses forms that were sent from another site. If a browser does not send `Sec-Fetch-Site`, the SameSite cookies
 * protect the user.
 */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new PlatformError('ACCESS_RESTRICTED', 'This form was sent from another site.');
}

/** Error handler of routes that return pages: it sends the error as a page. */
export function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const shown = loggedError(error, request);
  void reply
    .code(shown.status)
    .headers({ ...pageHeaders(), ...retryHeaders(shown) })
    .send(errorMessagePage(shown, request.id));
}

export const errorMessagePage = ({ status, message }: PlatformError, requestId: string): string =>
  messagePage({
    title: ERROR_TITLES[status] ?? (status >= 500 ? 'Internal error' : 'The request was refused'),
    text: message,
    reference: requestId,
  });

const ERROR_TITLES: Readonly<Record<number, string>> = {
  404: 'Page not found',
  429: 'Too many requests',
  503: 'Try again in a moment',
};

/** Returns the error that the caller gets, and logs platform failures (5xx). */
export function loggedError(error: unknown, request: FastifyRequest): PlatformError {
  const shown = shownAs(error, request);
  if (shown.status >= 500)
    request.caller?.log.error({ err: shown.cause ?? shown, method: request.method, route: request.routeOptions.url }, 'request failed');
  return shown;
}
