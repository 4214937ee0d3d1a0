import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode, GraphQLError } from 'graphql';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { PlatformError } from '../kernel/errors/errors.ts';
import type { ExecuteGraph } from '../kernel/graph.ts';
import type { InputProblems } from '../kernel/graphql/input-problems.ts';
import { checkVersion } from '../kernel/http/api-version.ts';
import { acceptJson } from '../kernel/http/bodies.ts';
import { JSON_TYPE, sendError } from '../kernel/http/http.ts';
import type { IdempotencyStore } from '../kernel/idempotency/idempotency.ts';
import type { RequestContext } from '../kernel/request.ts';
import { StaticContent } from '../router/static-content.ts';
import { compileRoutes, type RestSource } from './compile.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { mountDocs } from './docs.ts';
import { mountGuide } from './guide.ts';
import { RouteHandler } from './handler.ts';
import { buildOpenApi, type OpenApiDocument } from './openapi/document.ts';
import { bodyLimitOf, countedCategoryOf, type Method, pathShape, priorityOf, type Route, routerPath } from './route.ts';
import { createSofaApi, type SofaApi } from './sofa.ts';

export interface RestOptions extends RestSource {
  execute: ExecuteGraph;
  /**
   * Converts an error to the error that callers receive. An error that demands a second factor also gets a challenge.
   * Default: no conversion.
   */
  present?(error: unknown, caller: RequestContext): Promise<GraphQLError>;
  /** Plans the operation of a route in advance, so that its first request does not wait for the plan. */
  prepare?(document: DocumentNode): Promise<void>;
  /**
   * Checks the rules for the readable values of a request in which other values are missing or have the wrong type, so that one response
   * reports all problems. Default: the rules are not checked for an invalid request.
   */
  rules?: InputProblems;
  idempotency?: IdempotencyStore;
  clock?: Clock;
}

export const BASE = '/v1';

/**
 * Serves the REST API under /v1, its OpenAPI document, the API reference and the guide.
 * The server must be created with `rewriteUrl` (paths.ts), which maps alias paths such as `/api/v1/…` to `/v1/…`. An
 * earlier onRequest hook must set `request.caller`.
 */
export async function mountRest(app: FastifyInstance, options: RestOptions): Promise<void> {
  const compiled = compileRoutes(options);
  if (options.prepare) for (const { document } of compiled) await options.prepare(document);
  const sofaApi = createSofaApi(compiled);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for an asynchronous plugin; the rule knows only its callback form
    async (scope) => {
      scope.setErrorHandler(sendError);
      scope.addHook('onRequest', async ({ headers }) => checkVersion(headers['api-version']));
      acceptJson(scope);
      mountRoutes(scope, compiled, sofaApi, options);
      mountMethods(scope, [
        ...compiled.map(({ route }) => route),
        ...(options.nonGraphRoutes ?? []).filter(({ operation }) => !operation.servers),
      ]);
      let content: StaticContent | undefined;
      scope.get('/openapi.json', { config: { access: 'public', weight: 0 } }, async (request, reply) => {
        // the document is built at the first request: building it at start would make the start about 3 % slower
        content ??= new StaticContent(Buffer.from(JSON.stringify(await buildOpenApi(compiled, sofaApi, options))), JSON_TYPE, 'no-cache');
        return content.send(request, reply);
      });
    },
    { prefix: BASE },
  );
  mountDocs(app);
  mountGuide(app);
}

/**
 * Generates the OpenAPI document without a server, for schema/openapi.json.
 * @throws RouteError if a route does not match the graph
 */
export function describeRest(source: RestSource): Promise<OpenApiDocument> {
  const compiled = compileRoutes(source);
  return buildOpenApi(compiled, createSofaApi(compiled), source);
}

function mountRoutes(
  scope: FastifyInstance,
  compiled: readonly CompiledRoute[],
  sofaApi: SofaApi,
  { execute, present, rules, idempotency, clock = systemClock }: RestOptions,
): void {
  const handlers = new Map<string, RouteHandler>();
  for (const entry of compiled) {
    const { route, status } = entry;
    const sofa = sofaApi.routes.get(route.operationId);
    if (!sofa) throw new Error(`Sofa generated no route for ${route.operationId} (status ${status}).`);
    const reader = () => handlers.get(`GET ${pathShape(route.path)}`);
    const handler = new RouteHandler(entry, sofa, { execute, present, rules, clock, idempotency }, reader);
    handlers.set(`${route.method} ${pathShape(route.path)}`, handler);
    scope.route({
      method: route.method,
      url: routerPath(route.path),
      bodyLimit: bodyLimitOf(route),
      config: {
        access: route.access ?? 'authenticated',
        weight: route.weight,
        category: countedCategoryOf(route) ?? null,
        priority: priorityOf(route),
      },
      onRequest: async ({ caller }) => handler.admit(caller),
      handler: (request, reply) => handler.handle(request, reply),
    });
  }
}

/** Sends 404 for unknown paths, 405 for unknown methods of known paths, and the allowed methods for OPTIONS. */
function mountMethods(scope: FastifyInstance, routes: readonly Pick<Route, 'method' | 'path'>[]): void {
  const paths = new Map<string, { url: string; methods: Method[] }>();
  for (const { path, method } of routes) {
    const known = paths.get(pathShape(path)) ?? { url: routerPath(path), methods: [] };
    known.methods.push(method);
    paths.set(pathShape(path), known);
  }
  const known = [...paths]
    .sort(([one], [other]) => parametersIn(one) - parametersIn(other))
    .map(([shape, { url, methods }]) => {
      const allow = ['OPTIONS', ...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))].sort().join(', ');
      scope.options(url, { config: { access: 'public', weight: 0 } }, (_, reply) => reply.code(204).header('allow', allow).send());
      return { pattern: new RegExp(`^${BASE}${shape.replaceAll('{}', '[^/]+')}$`), allow };
    });
  scope.setNotFoundHandler((request, reply) => refuse(request, reply, known));
}

const parametersIn = (shape: string): number => shape.split('{}').length;

function refuse(request: FastifyRequest, reply: FastifyReply, known: readonly { pattern: RegExp; allow: string }[]): never {
  const path = request.raw.url?.split('?', 1)[0] ?? '';
  const found = known.find(({ pattern }) => pattern.test(path));
  if (!found)
    throw new PlatformError('ROUTE_NOT_FOUND', `There is no ${request.method} ${path.slice(0, 200)}. See ${BASE}/openapi.json.`, {
      method: request.method,
      path: path.slice(0, 200),
    });
  reply.header('allow', found.allow);
  throw new PlatformError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here, only ${found.allow}.`, {
    method: request.method,
    allowed: found.allow.split(', '),
  });
}
