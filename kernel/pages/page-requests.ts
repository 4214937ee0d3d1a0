import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidParameters, PlatformError } from '../errors/errors.ts';
import { acceptForms } from '../http/bodies.ts';
import { retryHeaders, shownAs } from '../http/http.ts';
import type { ClientInfo } from '../request.ts';
import { messagePage } from './message.page.ts';
import { pageHeaders } from './page-headers.ts';

/** What a page's request is answered with. */
export type PageResponse = { page: string; status?: number; formTargets?: readonly string[] } | { location: string };

/** What a form sent, as texts: the first of each name. */
export type Form = Readonly<Record<string, string>>;

const FORM_BYTES = 65_536;
/** PostgreSQL has no text with it. */
const NUL = /%00|\0/;

/** Forms alone, as pages send them. */
export const acceptPageForms = (scope: FastifyInstance): void => acceptForms(scope, FORM_BYTES, formIn);

function formIn(text: string): unknown {
  if (NUL.test(text)) throw new InvalidParameters([{ field: 'body', reason: 'must not hold U+0000' }]);
  return parse(text);
}

export function formOf({ body }: FastifyRequest): Form {
  const entries = Object.entries((body ?? {}) as Record<string, string | string[]>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]));
}

/** As the edge saw it. */
export const clientInfoOf = ({ ip, headers, caller }: FastifyRequest): ClientInfo =>
  caller?.client ?? { ip, userAgent: headers['user-agent'] };

export function sendPage(reply: FastifyReply, answer: PageResponse): FastifyReply {
  if ('location' in answer) return reply.headers(pageHeaders()).redirect(answer.location, 303);
  const { status = 200, page, formTargets } = answer;
  return reply.code(status).headers(pageHeaders(formTargets)).send(page);
}

/** Forms of a page are sent by that page. Browsers that do not say where a form stands are held by the SameSite cookies. */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new PlatformError('ACCESS_RESTRICTED', 'This form was sent from another site.');
}

/** For routes that answer pages: an error is one too. */
export function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const shown = loggedError(error, request);
  void reply
    .code(shown.status)
    .headers({ ...pageHeaders(), ...retryHeaders(shown) })
    .send(errorMessagePage(shown, request.id));
}

export const errorMessagePage = ({ status, message }: PlatformError, requestId: string): string =>
  messagePage({
    title: ERROR_TITLES[status] ?? (status >= 500 ? 'Something failed on our side' : 'This does not work'),
    text: message,
    reference: requestId,
  });

const ERROR_TITLES: Readonly<Record<number, string>> = {
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'Try again in a moment',
};

/** What may be shown of an error; what is our fault is logged. */
export function loggedError(error: unknown, request: FastifyRequest): PlatformError {
  const shown = shownAs(error, request);
  if (shown.status >= 500)
    request.caller?.log.error({ err: shown.cause ?? shown, method: request.method, route: request.routeOptions.url }, 'request failed');
  return shown;
}
