import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, type ApolloServerOptionsWithGateway } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Principal } from '../kernel/access/principal.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { unavailableFor } from '../kernel/database/unavailable.ts';
import { CredentialsMissing, InvalidParameters, isErrorCode, PlatformError, statusOf } from '../kernel/errors/errors.ts';
import { acceptJson } from '../kernel/http/bodies.ts';
import { retryHeaders, shownAs, toPlatformError } from '../kernel/http/http.ts';
import { mountGraphiql } from './graphiql.ts';
import { MutationsOnce, type MutationsOnceOptions } from './mutations-once.ts';
import type { AdmittedOperation, Router } from './router.ts';
import { mountSchemaFile } from './schema-file.ts';
import { beyondRequest, type OperationPrice, refusedFields } from './weight.ts';

export interface GraphqlHttpOptions {
  /** Path of the GraphQL endpoint. Default: `/graphql`. */
  path?: string;
  /** Access to the schema file. `public` needs no credentials. Default: `public`. */
  schemaAccess?: 'public' | 'authenticated';
  /** True if browsers get GraphiQL at the path of the endpoint. Default: true. */
  graphiql?: boolean;
  /**
   * Charges an operation before it runs, and waits for a free concurrency slot. The HTTP request has already cost a
   * weight of 1, so `price` contains only the rest, which may be 0.
   * @throws PlatformError to reject the operation
   */
  charge?(request: FastifyRequest, price: OperationPrice): Promise<void>;
  /** Called with the names of root fields that were rejected before they had an effect. */
  refused?(request: FastifyRequest, fields: readonly string[]): Promise<void>;
  /** Store for mutations with an `Idempotency-Key`. Without a store, requests with this header are rejected. */
  once?: MutationsOnceOptions;
}

/**
 * Apollo's context value. It contains the request instead of the RequestContext, because Apollo clones the value, and a
 * clone loses its private fields.
 */
interface ApolloContext {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The operation that the router has admitted. Undefined before the admission. */
  admitted?: AdmittedOperation;
}

/** The current request, for Apollo's `formatError`, which does not get it as an argument. */
const current = new AsyncLocalStorage<FastifyRequest>();

/**
 * Mounts GraphQL over HTTP (GET and POST). Apollo Server handles the protocol, and the router is its gateway.
 * An earlier hook must set `request.caller`.
 * All errors on this path have the platform's code, details and request id in `extensions`, including errors of the
 * edge.
 */
export async function mountGraphql(app: FastifyInstance, router: Router, options: GraphqlHttpOptions = {}): Promise<void> {
  const { path = '/graphql' } = options;
  const apollo = createApollo(router, options);
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());
  if (options.graphiql ?? true) mountGraphiql(app, path);
  mountSchemaFile(app, router, `${path}/schema.graphql`, options.schemaAccess ?? 'public');

  await app.register((scope, _, done) => {
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply));
    const handle = fastifyApolloHandler(apollo, { context: async (request, reply) => ({ request, reply }) });
    acceptJson(scope);
    scope.route({
      method: ['GET', 'POST'],
      url: path,
      bodyLimit: BODY_LIMIT_BYTES,
      // The cost of the HTTP request. The priority and the rest of the cost depend on the operation.
      config: { weight: 1, access: 'optional', priority: 'deferred' },
      handler: (request, reply) => current.run(request, () => handle.call(scope, request, reply)),
    });
    scope.route({ method: ['PUT', 'PATCH', 'DELETE'], url: path, config: { access: 'public' }, handler: refuseMethod });
    scope.options(path, { config: { access: 'public', weight: 0 } }, (_, reply) => reply.code(204).header('allow', ALLOW).send());
    done();
  });
}

/**
 * Maximum size of a body, and of a WebSocket message. It is larger than the limit of REST routes, because documents,
 * articles and small files are sent as variables.
 */
const BODY_LIMIT_BYTES = 1024 * 1024;

const ALLOW = 'GET, HEAD, OPTIONS, POST';

function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): never {
  reply.header('allow', ALLOW);
  throw new PlatformError('METHOD_NOT_ALLOWED', `${method} is not allowed here, only ${ALLOW}.`, { method, allowed: ALLOW.split(', ') });
}

function createApollo(router: Router, { charge, refused, once }: GraphqlHttpOptions): ApolloServer<ApolloContext> {
  const documents = new PreparedDocuments(router);
  return new ApolloServer<ApolloContext>({
    gateway: asGateway(router, new MutationsOnce(router, once), refused),
    documentStore: documents.store,
    parseOptions: { maxTokens: router.limits.tokens },
    introspection: true,
    // CSRF protection is not needed: browsers do not send keys or tokens automatically, and a request without them is
    // anonymous
    csrfPrevention: false,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: (formatted, error) => format(formatted, error),
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      {
        requestDidStart: async () => ({
          async didResolveSource({ source, queryHash }) {
            documents.prepare(source, queryHash);
          },
          async didResolveOperation({ document, request, contextValue }) {
            const { request: http } = contextValue;
            const { operationName, variables } = request;
            const admitted = router.admit({ document, operationName, variables, context: http.caller });
            if ('errors' in admitted) throw withStatus(admitted.errors[0] as GraphQLError, statusOf('INVALID_PARAMETERS'));
            contextValue.admitted = admitted;
            const { price } = admitted.operation;
            if (http.caller.principal === Principal.nobody && !router.isPublic(price.fields)) throwWithStatus(new CredentialsMissing());
            await charge?.(http, beyondRequest(price)).catch(failing(http));
          },
          async willSendResponse({ response: { body, http }, contextValue }) {
            if (body.kind !== 'single') return;
            const { data, errors = [] } = body.singleResult;
            contextValue.request.failure = failureOf(errors);
            const { code, details } = errors.find(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE')?.extensions ?? {};
            if (!code) return;
            const { retry_after: seconds } = Object(details) as { retry_after?: number };
            if (seconds !== undefined) http.headers.set('retry-after', String(seconds));
            // Partial data is a valid response. Without any data, the status 503 lets clients and proxies retry.
            if (Object.values(data ?? {}).every((value) => value === null)) http.status = statusOf('SERVICE_UNAVAILABLE');
          },
        }),
      },
    ],
  });
}

type Gateway = NonNullable<ApolloServerOptionsWithGateway<ApolloContext>['gateway']>;

function asGateway(router: Router, once: MutationsOnce, onRefused: GraphqlHttpOptions['refused']): Gateway {
  let end = (): void => {};
  return {
    onSchemaLoadOrUpdate(callback) {
      const notify = (): void => callback({ apiSchema: router.schema, coreSupergraphSdl: router.supergraphSdl });
      notify();
      end = router.onUpdate(notify);
      return end;
    },
    load: async () => ({
      executor: async ({ document, request, context }) => {
        const { request: http, reply, admitted } = context as ApolloContext;
        const { variables, operationName } = request;
        const operation = { document, variables, operationName, context: http.caller };
        if (!admitted) return router.execute(operation) as never;
        const { result, isReplayed } = await once.execute(operation, admitted, http.headers['idempotency-key']).catch(failing(http));
        if (isReplayed) reply.header('idempotent-replayed', 'true');
        const refused = onRefused ? refusedFields(result, admitted.operation) : [];
        if (refused.length > 0) await onRefused?.(http, refused);
        return result as never;
      },
    }),
    stop: async () => end(),
  };
}

/**
 * Number of documents in `PreparedDocuments`. They are needed only between two steps of a request, because the router
 * itself caches documents.
 */
const MAX_DOCUMENTS = 100;

/**
 * Gives Apollo the documents that the router has already prepared. So each document is parsed and validated only once,
 * and within the router's limits.
 * A document that exceeds the limits is passed too, so that Apollo does not validate it, and is rejected when the
 * router admits the operation. Other invalid documents are not passed, so that Apollo validates them itself and reports
 * all errors.
 */
class PreparedDocuments {
  readonly #byHash = new BoundedCache<string, DocumentNode>(MAX_DOCUMENTS);

  constructor(private readonly router: Router) {}

  prepare(source: string, hash: string): void {
    const { document, errors, isTooLarge } = this.router.prepare(source);
    if (errors.length === 0 || isTooLarge) this.#byHash.set(hash, document);
    else this.#byHash.delete(hash);
  }

  /**
   * The document store that Apollo reads. The end of a key, after the last colon, is the hash of the document's text.
   */
  readonly store = {
    get: async (key: string) => this.#byHash.get(key.slice(key.lastIndexOf(':') + 1)),
    set: async () => undefined,
    delete: async () => undefined,
  };
}

/**
 * Adds the platform's code, details and request id to the errors in a response. Errors of the router already have them.
 * Apollo's own errors are about the request: its syntax, validation, method or headers.
 */
function format(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const request = current.getStore();
  const { code, request_id } = formatted.extensions ?? {};
  if (request_id) return formatted;
  const known = isErrorCode(code) ? undefined : ownError(code, formatted.message);
  if (known?.code === 'INTERNAL_ERROR') request?.caller?.log.error({ err: error }, 'GraphQL request failed');
  const extensions = known ? known.extensions : formatted.extensions;
  return { ...formatted, message: known?.message ?? formatted.message, extensions: { ...extensions, request_id: request?.id } };
}

/** Returns the first error of a response, for the log of the organization. */
function failureOf([first]: readonly GraphQLFormattedError[]): FastifyRequest['failure'] {
  if (!first) return undefined;
  const { code } = first.extensions ?? {};
  const known = isErrorCode(code) ? code : 'INTERNAL_ERROR';
  return { code: known, message: first.message, status: statusOf(known) };
}

const REQUEST_ERRORS = new Set([
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
]);

function ownError(code: unknown, message: string): PlatformError {
  if (!REQUEST_ERRORS.has(String(code))) return toPlatformError(new Error(message));
  const reason = message.trim();
  return new PlatformError('INVALID_PARAMETERS', reason, new InvalidParameters([{ field: 'query', reason }]).details);
}

function withStatus(error: GraphQLError, status: number): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    originalError: error,
    extensions: { ...extensions, http: { status } },
  });
}

/**
 * Throws a PlatformError as a GraphQLError with the same HTTP status, and the failure of an unavailable database as SERVICE_UNAVAILABLE.
 * Other errors are thrown unchanged.
 */
function throwWithStatus(error: unknown): never {
  const known = error instanceof PlatformError ? error : unavailableFor(error);
  if (!known) throw error;
  throw withStatus(new GraphQLError(known.message, { originalError: known, extensions: known.extensions }), known.status);
}

/** Like `throwWithStatus`, and logs the failure of an unavailable database, because the response does not contain it. */
const failing =
  ({ caller }: FastifyRequest) =>
  (error: unknown): never => {
    if (unavailableFor(error)) caller.log.error({ err: error }, 'GraphQL request failed');
    return throwWithStatus(error);
  };

/** Sends an error of the edge or of the body parser in GraphQL format. */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = shownAs(error, request);
  request.failure = known;
  if (known.status >= 500) request.caller?.log.error({ err: known.cause ?? known }, 'GraphQL request failed');
  const { code, details, message, status } = known;
  return reply
    .code(status)
    .headers(retryHeaders(known))
    .type('application/json; charset=utf-8')
    .send({ errors: [{ message, extensions: { code, details, request_id: request.id } }] });
}
