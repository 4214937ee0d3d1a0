import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVary } from '../kernel/http/http.ts';
import type { AllowedOrigins } from '../kernel/settings/origins.ts';

export interface CorsOptions {
  /** The origins whose pages may read responses. */
  allowed: AllowedOrigins;
  /** The paths that pages of other origins may call, each with everything below it. */
  paths: readonly string[];
}

/** Chromium keeps the answer to a preflight no longer. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * The same for every path and caller, so that a preflight needs no lookup. The wildcards cover all names, because browsers send
 * these requests without cookies and client certificates; only `Authorization` must be named (Fetch standard, 4.9).
 */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
  // kept by the browser as max-age says; not by anything between
  'cache-control': 'no-store',
};

/**
 * Cross-origin resource sharing (Fetch standard) for paths that only credentials in headers give access to. Every response of these
 * paths has the headers, errors and unknown paths included. A preflight is answered here: it is not counted, and nobody is
 * authenticated for it. Call it on the root instance before the edge is mounted. Never give it a path that reads a cookie.
 */
export function mountCors(app: FastifyInstance, { allowed, paths }: CorsOptions): void {
  const isCovered = (url: string): boolean => {
    const [path = ''] = url.split('?', 1);
    return paths.some((one) => path === one || path.startsWith(`${one}/`));
  };

  app.addHook('onRequest', (request, reply, done) => {
    const { method, url, originalUrl, headers } = request;
    // a path that cannot be decoded is routed as another one
    if (!isCovered(url) && !isCovered(originalUrl)) return done();
    allow(reply, headers.origin, allowed);
    if (method !== 'OPTIONS' || !headers.origin || !headers['access-control-request-method']) return done();
    void reply.code(204).headers(PREFLIGHT_HEADERS).header('x-request-id', request.id).send();
  });
  // at the end, because a handler may say what else its response depends on
  if (allowed === '*') return;
  app.addHook('onSend', ({ url, originalUrl }, reply, payload, done) => {
    if (isCovered(url) || isCovered(originalUrl)) addVary(reply, 'Origin');
    done(null, payload);
  });
}

function allow(reply: FastifyReply, origin: string | undefined, allowed: AllowedOrigins): void {
  if (allowed !== '*' && (!origin || !allowed.includes(origin))) return;
  reply.header('access-control-allow-origin', allowed === '*' ? '*' : origin);
  reply.header('access-control-expose-headers', '*');
}

/** Whether a page of another origin than the address that is called asks. Only browsers send `Origin`. */
export function isCrossOrigin({ headers: { origin, host } }: Pick<IncomingMessage, 'headers'>): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Whether who asks for a WebSocket may open it: browsers make no preflight for one and leave the decision to the server. */
export function mayOpenSocket(request: Pick<IncomingMessage, 'headers'>, allowed: AllowedOrigins): boolean {
  return allowed === '*' || !isCrossOrigin(request) || allowed.includes(request.headers.origin ?? '');
}
