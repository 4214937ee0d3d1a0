import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { bodyTooLarge } from '../../../kernel/http/bodies.ts';
import { JSON_TYPE, retryHeaders } from '../../../kernel/http/http.ts';
import { PLAIN_HEADERS } from '../../../kernel/pages/page-headers.ts';
import { loggedError, refuseOtherSites, sendErrorPage } from '../../../kernel/pages/page-requests.ts';
import type { AuthorizationServer } from './authorization.server.ts';
import { paths } from './paths.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PUBLIC = { config: { access: 'public' } } as const;
const FREE = { config: { access: 'public', weight: 0 } } as const;

/** Maximum size of a form that the provider reads. */
const FORM_BYTES = 56 * 1024;

interface Endpoint {
  path: string;
  methods: readonly ('GET' | 'POST')[];
  /** True if the endpoint serves HTML pages to people. Scripts of other origins cannot call it. */
  isPage?: true;
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: paths.authorize, methods: ['GET'], isPage: true },
  { path: `${paths.authorize}/:uid`, methods: ['GET'], isPage: true },
  { path: paths.token, methods: ['POST'] },
  { path: paths.introspect, methods: ['POST'] },
  { path: paths.revoke, methods: ['POST'] },
  { path: paths.deviceAuthorization, methods: ['POST'] },
  { path: paths.device, methods: ['GET', 'POST'], isPage: true },
  { path: `${paths.device}/:uid`, methods: ['GET'], isPage: true },
  { path: paths.logout, methods: ['GET'], isPage: true },
  { path: `${paths.logout}/confirm`, methods: ['POST'], isPage: true },
  { path: `${paths.logout}/success`, methods: ['GET'], isPage: true },
  { path: paths.jwks, methods: ['GET'] },
  { path: paths.discovery, methods: ['GET'] },
  { path: paths.openidDiscovery, methods: ['GET'] },
];

/**
 * Mounts the provider behind the platform's edge. The platform adds request ids, limits and rate headers; responses
 * have the format of OAuth.
 */
export async function mountOAuth(app: FastifyInstance, server: AuthorizationServer): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // the provider reads the bodies: forms of up to 56 KiB
    scope.addContentTypeParser('*', ({ headers }, _payload, parsed) => parsed(refusalOf(headers)));
    for (const endpoint of ENDPOINTS) mountEndpoint(scope, endpoint, server);
    done();
  });
}

/**
 * Refuses a compressed or too large body before it is read. The provider would first read the body, or respond with
 * another error.
 */
function refusalOf({ 'content-encoding': encoding = 'identity', 'content-length': length }: IncomingHttpHeaders): PlatformError | null {
  if (encoding !== 'identity') return new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the form without Content-Encoding.');
  return Number(length) > FORM_BYTES ? bodyTooLarge(FORM_BYTES) : null;
}

function mountEndpoint(scope: FastifyInstance, { path, methods, isPage }: Endpoint, server: AuthorizationServer): void {
  const errorHandler = isPage ? sendErrorPage : answerJson;
  const allowed: HTTPMethods[] = [...methods, 'OPTIONS', ...(methods.includes('GET') ? (['HEAD'] as const) : [])];
  const allow = allowed.toSorted().join(', ');
  scope.route({
    method: allowed.filter((method) => method !== 'OPTIONS'),
    url: path,
    errorHandler,
    ...PUBLIC,
    handler: (request, reply) => {
      if (isPage && request.method === 'POST') refuseOtherSites(request);
      return handOver(request, reply, server);
    },
  });
  scope.options(path, { ...FREE, errorHandler }, async (request, reply) => {
    const isPreflight = !isPage && request.headers.origin && request.headers['access-control-request-method'];
    return isPreflight ? handOver(request, reply, server) : reply.code(204).header('allow', allow).send();
  });
  scope.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url: path,
    errorHandler,
    ...PUBLIC,
    handler: async ({ method }, reply) => {
      reply.header('allow', allow);
      throw new PlatformError('METHOD_NOT_ALLOWED', `${method} is not allowed here, only ${allow}.`);
    },
  });
}

async function handOver(request: FastifyRequest, reply: FastifyReply, server: AuthorizationServer): Promise<FastifyReply> {
  const { raw } = request;
  const provider = await server.provider();
  const { protocol, host } = new URL(server.issuer);
  // the provider derives its own URLs and the client's IP address from these headers, so the values of the client are
  // overwritten
  Object.assign(raw.headers, { 'x-forwarded-for': request.ip, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
  // Node automatically omits the body of a response to HEAD
  if (raw.method === 'HEAD') raw.method = 'GET';
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  await provider.callback()(raw, reply.raw);
  return reply;
}

/** Sends OAuth errors (RFC 6749, 5.2) for requests that the edge refuses and the provider never receives. */
function answerJson(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const shown = loggedError(error, request);
  const { status, message } = shown;
  const { origin } = request.headers;
  // the provider sends the same headers for requests that it refuses before the client is known (`clientBasedCORS`)
  if (origin) void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': '*', vary: 'Origin' });
  const code = status === 500 ? 'server_error' : status === 429 || status === 503 ? 'temporarily_unavailable' : 'invalid_request';
  void reply
    .code(status)
    .headers({ ...PLAIN_HEADERS, ...retryHeaders(shown), 'cache-control': 'no-store' })
    .type(JSON_TYPE)
    .send(JSON.stringify({ error: code, error_description: message }));
}
