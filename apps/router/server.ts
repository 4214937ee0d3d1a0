import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, validateHeaderValue } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import { Principal } from '../../kernel/access/principal.ts';
import type { Logger } from '../../kernel/log/log.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { readTraceparent } from '../../kernel/tracing/tracing.ts';
import { mountCors } from '../../router/cors.ts';
import { createServer } from '../../router/edge/server.ts';
import { mountGraphql } from '../../router/http.ts';
import { HttpTransport, type HttpTransportOptions } from '../../router/http-transport.ts';
import { Joins } from '../../router/joins.ts';
import { PRINCIPAL_HEADER, signPrincipal, verifyPrincipal } from '../../router/principal-header.ts';
import { createRouter } from '../../router/router.ts';
import { mountGraphqlSocket } from '../../router/ws.ts';
import { listenError, StartError } from '../platform/start-error.ts';
import type { RouterCommand } from './command-line.ts';

export interface RouterServer {
  origin: string;
  /** Stops accepting requests, finishes the requests in flight, and closes WebSockets and connections. */
  close(): Promise<void>;
}

const ANYONE = new Principal({ kind: 'user', id: 'anonymous', organizationId: '', plan: 'developer', grants: [] });

/** Starts the router. @throws StartError if the file is not a supergraph, or if the port is in use */
export async function startRouter(command: RouterCommand, log: Logger): Promise<RouterServer> {
  const { supergraph, host, port, secret, limits, timeoutMs, connections, forwardedHeaders, allowedOrigins } = command;
  const supergraphSdl = readSupergraph(supergraph);
  const headers = ({ principal, client }: RequestContext): Record<string, string> => ({
    ...client?.forwarded,
    ...(secret ? { [PRINCIPAL_HEADER]: signPrincipal(principal, secret, new Date()) } : {}),
  });
  const transports = transportsOf(supergraphSdl, supergraph, { headers, timeoutMs, connections });
  const options = { supergraphSdl, transports, log, limits, errors: { passForeignErrors: true } };
  const router = await createRouter(options).catch((error: unknown) => {
    throw new StartError(`${supergraph} cannot be used: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });

  const admit = (requestId: string, ip: string, sent: Readonly<Record<string, unknown>>): RequestContext => ({
    requestId,
    principal: secret ? verifyPrincipal(sent[PRINCIPAL_HEADER], secret, new Date()) : ANYONE,
    client: {
      ip,
      userAgent: undefined,
      traceparent: readTraceparent(sent.traceparent),
      forwarded: forwardedOf(sent, forwardedHeaders),
    },
    log: log.child({ request_id: requestId }),
  });
  const app = createServer({ trustedProxies: [] });
  mountCors(app, { allowed: allowedOrigins, paths: ['/graphql'] });
  authenticateRequests(app, admit);
  app.get('/healthz', { config: { access: 'public' } }, async () => ({ status: 'alive' }));
  await mountGraphql(app, router, { schemaAccess: 'authenticated' });
  mountGraphqlSocket(app, router, {
    admit: async ({ requestId, request, params }) => admit(requestId, request.socket.remoteAddress ?? '', params),
    allowedOrigins,
    log,
  });
  await app.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, host, port);
  });
  const bound = app.server.address() as AddressInfo;
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    async close() {
      await app.close();
      await router.close();
    },
  };
}

/**
 * Selects the request headers that are forwarded to subgraphs. For a WebSocket, `sent` is the payload of the message
 * `connection_init`, whose values may have any type.
 */
function forwardedOf(sent: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' && isHeaderValue(text) ? [[name, text] as const] : [];
  });
  return Object.fromEntries(found);
}

function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('x', text);
    return true;
  } catch {
    return false;
  }
}

type Admit = (requestId: string, ip: string, sent: IncomingHttpHeaders) => RequestContext;

function authenticateRequests(app: FastifyInstance, admit: Admit): void {
  app.decorateRequest('caller', null as never);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const isPublic = request.routeOptions.config.access === 'public' || request.is404;
    if (!isPublic) request.caller = admit(request.id, request.ip, request.headers);
  });
}

function readSupergraph(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'the file does not exist' : (error as Error).message;
    throw new StartError(`The supergraph ${file} cannot be read: ${reason}.`, { cause: error });
  }
}

function transportsOf(supergraphSdl: string, file: string, options: Omit<HttpTransportOptions, 'url'>): Map<string, HttpTransport> {
  const graphs = joinedGraphs(supergraphSdl, file);
  return new Map(
    graphs.map(({ name, url }) => {
      if (!URL.canParse(url) || !/^https?:/.test(url))
        throw new StartError(`The subgraph ${name} in ${file} has no HTTP URL: ${url || 'none'}.`);
      return [name, new HttpTransport({ ...options, url })];
    }),
  );
}

function joinedGraphs(supergraphSdl: string, file: string) {
  try {
    return [...new Joins(parse(supergraphSdl, { noLocation: true })).graphs.values()];
  } catch (error) {
    throw new StartError(`${file} is not a GraphQL schema: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`, {
      cause: error,
    });
  }
}
