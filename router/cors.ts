import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVary } from '../kernel/http/http.ts';
import type { AllowedOrigins } from '../kernel/settings/origins.ts';

export interface CorsOptions {
  /** Origins whose pages may read responses. */
  allowed: AllowedOrigins;
  /** Paths that pages of other origins may call. Each path includes all paths below it. */
  paths: readonly string[];
}

/** Lifetime of a cached preflight response. This is the maximum that Chromium supports. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Headers of a preflight response. These headers are the same for every path and caller.
 * `*` covers all header names, because browsers send these requests without cookies and client certificates. Only
 * `Authorization` must be listed (Fetch standard, 4.9).
 */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
  // shared caches must not store a preflight response (browsers cache it according to max-age)
  'cache-control': 'no-store',
};

/**
 * Enables cross-origin resource sharing (Fetch standard) for paths that require credentials in headers. Every response of these paths has
 * the CORS headers, including errors and unknown paths. This function also responds to preflight requests, which are not authenticated and
 * do not count in the rate limit. Call it on the root instance of Fastify before the edge is mounted. Never include a path that reads a
 * cookie.
 */
export function mountCors(app: FastifyInstance, { allowed, paths }: CorsOptions): void {
  const isCovered = (url: string): boolean => {
    const [path = ''] = url.split('?', 1);
    return paths.some((one) => path === one || path.startsWith(`${one}/`));
  };

  app.addHook('onRequest', (request, reply, done) => {
    const { method, url, originalUrl, headers } = request;
    // `url` differs from `originalUrl` if the path could not be decoded
    if (!isCovered(url) && !isCovered(originalUrl)) return done();
    allow(reply, headers.origin, allowed);
    if (method !== 'OPTIONS' || !headers.origin || !headers['access-control-request-method']) return done();
    void reply.code(204).headers(PREFLIGHT_HEADERS).header('x-request-id', request.id).send();
  });
  // this hook runs after the handler, because a handler may set the header Vary itself
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

/** Returns true if a page of another origin sent the request. Only browsers send `Origin`. */
export function isCrossOrigin({ headers: { origin, host } }: Pick<IncomingMessage, 'headers'>): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/**
 * Returns true if the client may open a WebSocket. The server must check the origin, because browsers send no preflight
 * request for WebSockets.
 */
export function mayOpenSocket(request: Pick<IncomingMessage, 'headers'>, allowed: AllowedOrigins): boolean {
  return allowed === '*' || !isCrossOrigin(request) || allowed.includes(request.headers.origin ?? '');
}
