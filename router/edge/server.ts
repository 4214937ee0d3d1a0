import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { acceptJson, BODY_LIMIT } from '../../kernel/http/bodies.ts';
import type { ErrorPage } from '../../kernel/http/http.ts';
import { newId } from '../../kernel/records/ids.ts';
import { mountCompression } from '../compression.ts';
import { sendClientError } from './client-errors.ts';
import { mountErrorHandlers } from './error-handler.ts';

/** As long as a request line can be, so that a path parameter that is too long gives 404 like any unknown id. */
const MAX_PARAM_LENGTH = 16_384;
const SLOW_REQUEST_TIMEOUT_MS = 60_000;
const DEFAULTS = { maxConnections: 10_000, headersTimeoutMs: 10_000 };
/** How often Node checks for connections that exceed their time limit. */
const CHECK_EVERY_MS = 1_000;
/**
 * TLS options. A client certificate is requested but not required, and an invalid one is accepted in the handshake, because the edge can
 * respond with an error that says why. A connection keeps its first certificate.
 */
const TLS = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  handshakeTimeout: 10_000,
} as const;

export interface ServerOptions {
  /** Addresses or CIDR ranges whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** Rewrites an alias to the path that is routed. The argument and the result contain path and query. */
  rewriteUrl?: (url: string) => string;
  /** Creates HTML error pages for browsers. Default: all errors are JSON. */
  errorPage?: ErrorPage;
  /** Maximum number of open connections. Further connections are closed at once. Default: 10,000. */
  maxConnections?: number;
  /** Time limit for the headers of a request, from the opening of the connection. Default: 10 s. */
  headersTimeoutMs?: number;
  /** Certificate for https; without it the server uses http. */
  tls?: ServerCertificate | undefined;
}

/** A server certificate in PEM format. `ca` lists the authorities from which clients choose their certificate. */
export interface ServerCertificate {
  cert: string;
  key: string;
  ca?: string | undefined;
}

/** Combines a certificate with the TLS options, for a new server or a renewed certificate. */
export const secured = (tls: ServerCertificate): typeof TLS & ServerCertificate => ({ ...tls, ...TLS });

/** Creates the HTTP server for all surfaces: request ids, request limits, errors in the standard body. */
export function createServer({ trustedProxies, rewriteUrl = (url) => url, tls, errorPage, ...limits }: ServerOptions): FastifyInstance {
  const { maxConnections, headersTimeoutMs } = { ...DEFAULTS, ...limits };
  const options = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_EVERY_MS),
    // Java's HTTP client offers an upgrade to h2c with every request; unsupported upgrades are ignored
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
    // requests on open connections are still served while closing, with `Connection: close`
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '/' }: IncomingMessage) => (isDecodable(url) ? rewriteUrl(url) : UNDECODABLE),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
  });
  acceptJson(app);
  app.server.maxConnections = maxConnections;
  if (errorPage) app.decorate('errorPage', errorPage);
  mountErrorHandlers(app);
  mountCompression(app);
  return app;
}

/**
 * A path without a route. Fastify responds to undecodable paths before any hook, without id and charge, so they are rewritten to this
 * path.
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
