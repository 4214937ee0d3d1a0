import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { acceptJson, BODY_LIMIT } from '../../kernel/http/bodies.ts';
import type { ErrorPage } from '../../kernel/http/http.ts';
import { newId } from '../../kernel/records/ids.ts';
import { mountCompression } from '../compression.ts';
import { sendClientError } from './client-errors.ts';
import { mountErrorHandlers } from './error-handler.ts';

/** As long as a request line can be: an id that is too long is one that does not exist, not another kind of error. */
const MAX_PARAM_LENGTH = 16_384;
const SLOW_REQUEST_TIMEOUT_MS = 60_000;
const DEFAULTS = { maxConnections: 10_000, headersTimeoutMs: 10_000 };
/** How often Node looks for connections that have taken too long. */
const CHECK_EVERY_MS = 1_000;
/**
 * A client certificate is asked for and not demanded, and one that does not hold is let in: the edge answers it with an error
 * that says why, where the handshake would only break off. A connection keeps the certificate that it began with.
 */
const TLS = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  handshakeTimeout: 10_000,
} as const;

export interface ServerOptions {
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Turns an alias of a path into the path that is routed. Gets and answers path and query. */
  rewriteUrl?: (url: string) => string;
  /** Makes pages of errors for people. Default: all errors are JSON. */
  errorPage?: ErrorPage;
  /** Connections that are open at a time; one beyond is closed at once. Default 10,000. */
  maxConnections?: number;
  /** How long the headers of a request may take to arrive, from the opening of the connection on. Default 10 s. */
  headersTimeoutMs?: number;
  /** Serves https with this certificate; without it http. */
  tls?: ServerCertificate | undefined;
}

/** In PEM. `ca` names the authorities whose certificates clients should choose from. */
export interface ServerCertificate {
  cert: string;
  key: string;
  ca?: string | undefined;
}

/** The certificate with how the platform speaks TLS: for a new server, and for one whose certificate was renewed. */
export const secured = (tls: ServerCertificate): typeof TLS & ServerCertificate => ({ ...tls, ...TLS });

/** The HTTP server that all surfaces are mounted on: request ids, limits on what is sent, errors in the standard body. */
export function createServer({ trustedProxies, rewriteUrl = (url) => url, tls, errorPage, ...limits }: ServerOptions): FastifyInstance {
  const { maxConnections, headersTimeoutMs } = { ...DEFAULTS, ...limits };
  const options = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_EVERY_MS),
    // Java's client offers h2c with every request: an upgrade that is not spoken here is ignored, and the request answered
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
    // while closing, what arrives on an open connection is still answered, with `Connection: close`
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

/** Fastify answers a path that it cannot decode before any hook, so without id and counting. This one it does not know. */
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
