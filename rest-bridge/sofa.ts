import { type ExecutionArgs, type ExecutionResult, type GraphQLSchema, type execute as graphqlExecute, isScalarType } from 'graphql';
import { createSofa, createSofaRouter } from 'sofa-api';
import type { CompiledRoute } from './compiled-route.ts';
import type { JsonSchema } from './json-schema.ts';
import { buildRestSchema, SORT } from './rest-schema.ts';
import { routerPath } from './route.ts';
import { scalarSchema } from './scalars.ts';

interface ObjectSchema {
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/** The part of Sofa's generated route that the platform uses. */
export interface SofaRoute {
  method: string;
  path: string;
  schemas: { request: { json?: ObjectSchema; params: ObjectSchema; query: ObjectSchema }; responses: Record<string, JsonSchema> };
  handler: SofaHandler;
}
type SofaHandler = (
  request: { url: string; body: null; params: Readonly<Record<string, unknown>>; text(): Promise<string> },
  exchange: Exchange,
) => Promise<unknown>;

/**
 * One request that Sofa handles. The result is stored in this object, because Sofa's own response type cannot contain
 * it.
 */
export interface Exchange {
  /** Runs the route's operation with the arguments that Sofa parsed, and stores the result. */
  run(values: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface SofaApi {
  schema: GraphQLSchema;
  /** The generated routes by operationId. */
  routes: ReadonlyMap<string, SofaRoute>;
  /** JSON schemas of the REST schema's types, by name. */
  components: Record<string, JsonSchema>;
}

/** Uses Sofa to generate the operation, handler and JSON schemas of every route. */
export function createSofaApi(routes: readonly CompiledRoute[]): SofaApi {
  const schema = buildRestSchema(routes);
  const components = { schemas: {} as Record<string, JsonSchema> };
  const sofa = createSofa({
    basePath: '/',
    schema,
    execute: runExchange as unknown as typeof graphqlExecute,
    errorHandler: finish,
    depthLimit: 1,
    customScalars: freshSchemas(schema),
    openAPI: { endpoint: false, components },
    swaggerUI: { endpoint: false },
    routes: Object.fromEntries(
      routes.map(({ kind, status, route: { operationId, method, path } }) => [
        `${kind === 'query' ? 'Query' : 'Mutation'}.${operationId}`,
        { method, path: routerPath(path), responseStatus: status as 200 },
      ]),
    ),
  });
  // Sofa also generates /webhook routes without an operationId, which are not mounted
  const generated = new Map(
    (createSofaRouter(sofa).__routes as unknown as SofaRoute[]).map((route) => [`${route.method} ${route.path}`, route]),
  );
  const byId = routes.map(({ route: { operationId, method, path } }) => {
    const route = generated.get(`${method} ${routerPath(path)}`);
    if (!route) throw new Error(`Sofa generated no route for ${operationId}.`);
    return [operationId, route] as const;
  });
  return { schema, routes: new Map(byId), components: components.schemas };
}

/**
 * The result that Sofa gets for every operation. Because the result has a list of errors, even an empty one, Sofa calls
 * `finish` instead of creating a Response object that nobody would read.
 */
const ANSWERED: ExecutionResult = Object.freeze({ errors: [] });

/**
 * Called by Sofa instead of the `execute` function of graphql-js. The exchange runs the operation in the graph and not
 * in the REST schema.
 */
async function runExchange({ contextValue, variableValues }: ExecutionArgs): Promise<ExecutionResult> {
  await (contextValue as Exchange).run(variableValues ?? {});
  return ANSWERED;
}

type SofaResponse = ReturnType<NonNullable<Parameters<typeof createSofa>[0]['errorHandler']>>;

/**
 * Sofa's error handler. The handler throws the error unchanged. Without this handler, Sofa would respond with 500 and
 * the message of the error.
 */
function finish([error]: readonly unknown[]): SofaResponse {
  if (error !== undefined) throw error;
  return NO_RESPONSE;
}
const NO_RESPONSE = undefined as unknown as SofaResponse;

/**
 * Returns an object that maps the name of each scalar to its JSON Schema. Each access to a property creates a new
 * schema, because Sofa writes descriptions into the schema.
 */
function freshSchemas(schema: GraphQLSchema): Record<string, unknown> {
  const schemas = {};
  for (const name of Object.keys(schema.getTypeMap())) {
    Object.defineProperty(schemas, name, {
      get: () => (name === SORT ? { type: 'string', examples: ['created_at:desc'] } : scalarOnly(schema, name)),
    });
  }
  return schemas;
}

const scalarOnly = (schema: GraphQLSchema, name: string): JsonSchema | undefined =>
  isScalarType(schema.getType(name)) ? scalarSchema(name) : undefined;

/**
 * Calls a handler that Sofa generated, with arguments that are already checked.
 * The arguments are passed as `params`, so that Sofa does not parse the URL or the body. Sofa drops null values, and
 * `RouteExchange.run` adds them again.
 */
export function callSofa(handler: SofaHandler, values: Readonly<Record<string, unknown>>, exchange: Exchange): Promise<unknown> {
  return handler({ url: '', body: null, params: values, text: noBody }, exchange);
}

const noBody = (): Promise<string> => Promise.resolve('');
