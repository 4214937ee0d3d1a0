import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { acceptJson, BODY_LIMIT } from '../../kernel/http/bodies.ts';
import type { ErrorPage } from '../../kernel/http/http.ts';
import { newId } from '../../kernel/records/ids.ts';
import { mountCompression } from '../compression.ts';
import { sendClientError } from './client-errors.ts';
import { mountDraining } from './draining.ts';
import { mountErrorHandlers } from './error-handler.ts';

/**
 * Maximum length of a path parameter. It equals Node's limit for the request line and all headers, so no parameter can
 * exceed it. With a lower maximum, Fastify would respond with 414 to a long id, and not with 404 as to any unknown id.
 */
const MAX_PARAM_LENGTH = 16_384;
const SLOW_REQUEST_TIMEOUT_MS = 60_000;
const DEFAULTS = { maxConnections: 10_000, headersTimeoutMs: 10_000 };
/** Interval at which Node checks for connections that exceed their time limit. */
const CHECK_EVERY_MS = 1_000;
/**
 * TLS options. A client certificate is requested but optional. An invalid certificate is accepted in the handshake, so
 * that the edge can respond with a helpful error.
 * Renegotiation is disabled, so a connection keeps its first client certificate.
 */
const TLS = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  handshakeTimeout: 10_000,
} as const;

export interface ServerOptions {
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: readonly string[];
  /** Replaces an alias of a path, such as `/api/v1/…`, with the path of the route. `url` is a path with its query. */
  rewriteUrl?: (url: string) => string;
  /** Creates HTML error pages for browsers. Default: all errors are JSON. */
  errorPage?: ErrorPage;
  /** Maximum number of open connections. Further connections are closed immediately. Default: 10,000. */
  maxConnections?: number;
  /** Maximum time from the opening of a connection until all headers of the request have arrived. Default: 10 s. */
  headersTimeoutMs?: number;
  /** Certificate for HTTPS. If it is undefined, the server uses HTTP. */
  tls?: ServerCertificate | undefined;
}

/**
 * A server certificate in PEM format. `ca` contains the certificate authorities for client certificates. The server
 * sends their names in the TLS handshake, so that a client can choose a certificate that one of them has issued.
 */
export interface ServerCertificate {
  cert: string;
  key: string;
  ca?: string | undefined;
}

/**
 * Returns a server certificate together with the TLS options. It is used for a new server, and when the certificate is
 * renewed.
 */
export const secured = (tls: ServerCertificate): typeof TLS & ServerCertificate => ({ ...tls, ...TLS });

/**
 * Creates the HTTP server for REST, GraphQL and pages. It sets request ids, enforces limits of size and time, and sends
 * the standard error body.
 */
export function createServer({ trustedProxies, rewriteUrl = (url) => url, tls, errorPage, ...limits }: ServerOptions): FastifyInstance {
  const { maxConnections, headersTimeoutMs } = { ...DEFAULTS, ...limits };
  const options = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_EVERY_MS),
    // Java's HTTP client offers an upgrade to h2c with every request. Such offers are ignored.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const app = fastify({
    logger: false,
    ...(tls ? { https: { ...secured(tls), ...options } } : { http: options }),
    clientErrorHandler: sendClientError,
    genReqId: () => newId('request'),
    bodyLimit: BODY_LIMIT,
    requestTimeout: SLOW_REQUEST_TIMEOUT_MS,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // while the server closes, requests on open connections are still served, with `Connection: close`
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '/' }: IncomingMessage) => (isDecodable(url) ? rewriteUrl(url) : UNDECODABLE),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
  });
  acceptJson(app);
  app.server.maxConnections = maxConnections;
  if (errorPage) app.decorate('errorPage', errorPage);
  mountDraining(app);
  mountErrorHandlers(app);
  mountCompression(app);
  return app;
}

/**
 * A path without a route. Paths that cannot be decoded are rewritten to this path. Otherwise, Fastify would respond
 * before any hook runs, so the response would have no request id, and the request would not be charged.
 */
const UNDECODABLE = '/undecodable';

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
