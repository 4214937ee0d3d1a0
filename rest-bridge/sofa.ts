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

/** The part that is used of what Sofa generates for a root field. */
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

/** One request passing through Sofa. Its outcome is stored here, since Sofa's Response cannot carry our bodies. */
export interface Exchange {
  /** Runs the route's operation with the arguments that Sofa parsed, and stores the outcome. */
  run(values: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface SofaApi {
  schema: GraphQLSchema;
  /** By operationId. */
  routes: ReadonlyMap<string, SofaRoute>;
  /** JSON schemas of the REST schema's types, by name. */
  components: Record<string, JsonSchema>;
}

/** Generates the operation, handler and JSON schemas of every route with Sofa. */
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
  // Sofa's anonymous /webhook routes are not mounted
  const generated = new Map(
    (createSofaRouter(sofa).__routes as unknown as SofaRoute[]).map((route) => [`${route.method} ${route.path}`, route]),
  );
  const byId = routes.map(({ route: { operationId, method, path } }) => {
    const route = generated.get(`${method} ${routerPath(path)}`);
    if (!route) throw new Error(`Sofa made no route of ${operationId}.`);
    return [operationId, route] as const;
  });
  return { schema, routes: new Map(byId), components: components.schemas };
}

/** Makes Sofa call its error handler instead of creating a Response that nobody reads. It is empty, so that nothing is thrown there. */
const ANSWERED: ExecutionResult = Object.freeze({ errors: [] });

/** Replaces Sofa's `execute`: the operation runs in the graph, not in the REST schema. */
async function runExchange({ contextValue, variableValues }: ExecutionArgs): Promise<ExecutionResult> {
  await (contextValue as Exchange).run(variableValues ?? {});
  return ANSWERED;
}

type SofaResponse = ReturnType<NonNullable<Parameters<typeof createSofa>[0]['errorHandler']>>;

/** Rethrows errors unchanged, since Sofa would turn them into a 500 with their message. */
function finish([error]: readonly unknown[]): SofaResponse {
  if (error !== undefined) throw error;
  return NO_RESPONSE;
}
const NO_RESPONSE = undefined as unknown as SofaResponse;

/** Creates a new schema for each use, because Sofa writes descriptions into it. */
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
 * Calls a generated handler with arguments that are already checked. They are passed as `params`, so that Sofa parses neither URL nor body.
 * Sofa
 * drops nulls, which the exchange restores.
 */
export function callSofa(handler: SofaHandler, values: Readonly<Record<string, unknown>>, exchange: Exchange): Promise<unknown> {
  return handler({ url: '', body: null, params: values, text: noBody }, exchange);
}

const noBody = (): Promise<string> => Promise.resolve('');
