import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import type { Logger } from '../../kernel/log.ts';
import { Principal } from '../../kernel/principal.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { createServer } from '../../router/edge/server.ts';
import { HttpTransport } from '../../router/http.transport.ts';
import { mountGraphql } from '../../router/http.ts';
import { Joins } from '../../router/joins.ts';
import { PRINCIPAL_HEADER, signPrincipal, verifyPrincipal } from '../../router/principal-header.ts';
import { createRouter } from '../../router/router.ts';
import { mountGraphqlSocket } from '../../router/ws.ts';
import { listenError, StartError } from '../platform/start-error.ts';
import type { RouterCommand } from './command-line.ts';

export interface RouterServer {
  origin: string;
  /** Stops accepting, finishes what is in flight, closes sockets and connections. */
  close(): Promise<void>;
}

const ANYONE = new Principal({ kind: 'user', id: 'anonymous', organizationId: '', plan: 'developer', grants: [] });

/** @throws StartError for a file that is no supergraph, a port that is taken. */
export async function startRouter({ supergraph, host, port, secret }: RouterCommand, log: Logger): Promise<RouterServer> {
  const supergraphSdl = readSupergraph(supergraph);
  const headers = ({ principal }: RequestContext): Record<string, string> =>
    secret ? { [PRINCIPAL_HEADER]: signPrincipal(principal, secret, new Date()) } : {};
  const transports = transportsOf(supergraphSdl, supergraph, headers);
  const router = await createRouter({ supergraphSdl, transports, log, errors: { passForeignErrors: true } }).catch((error: unknown) => {
    throw new StartError(`${supergraph} cannot be used: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });

  const admit = (requestId: string, sent: Readonly<Record<string, unknown>>): RequestContext => ({
    requestId,
    principal: secret ? verifyPrincipal(sent[PRINCIPAL_HEADER], secret, new Date()) : ANYONE,
    log: log.child({ request_id: requestId }),
  });
  const app = createServer({ trustedProxies: [] });
  authenticateRequests(app, admit);
  app.get('/healthz', { config: { access: 'public' } }, async () => ({ status: 'alive' }));
  await mountGraphql(app, router);
  mountGraphqlSocket(app, router, { admit: async ({ requestId, params }) => admit(requestId, params), log });
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

type Admit = (requestId: string, sent: IncomingHttpHeaders) => RequestContext;

function authenticateRequests(app: FastifyInstance, admit: Admit): void {
  app.decorateRequest('caller', null as never);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const isPublic = request.routeOptions.config.access === 'public' || request.is404;
    if (!isPublic) request.caller = admit(request.id, request.headers);
  });
}

function readSupergraph(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new StartError(`The supergraph ${file} cannot be read: ${reason}.`, { cause: error });
  }
}

function transportsOf(
  supergraphSdl: string,
  file: string,
  headers: (context: RequestContext) => Record<string, string>,
): Map<string, HttpTransport> {
  const graphs = joinedGraphs(supergraphSdl, file);
  return new Map(
    graphs.map(({ name, url }) => {
      if (!URL.canParse(url) || !/^https?:/.test(url))
        throw new StartError(`The subgraph ${name} in ${file} has no http url: ${url || 'none'}.`);
      return [name, new HttpTransport({ url, headers })];
    }),
  );
}

function joinedGraphs(supergraphSdl: string, file: string) {
  try {
    return [...new Joins(parse(supergraphSdl, { noLocation: true })).graphs.values()];
  } catch (error) {
    throw new StartError(`${file} is no GraphQL schema: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`, {
      cause: error,
    });
  }
}
