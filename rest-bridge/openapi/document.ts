import { type GraphQLField, isNonNullType } from 'graphql';
import { API_VERSION } from '../../kernel/http/api-version.ts';
import type { SchemaPlace } from '../../kernel/records/field-schemas.ts';
import type { RestSource } from '../compile.ts';
import type { CompiledRoute } from '../compiled-route.ts';
import { pathShape } from '../route.ts';
import type { SofaApi } from '../sofa.ts';
import { securityOf, securitySchemes, sharedHeaders, sharedParameters, sharedResponses, sharedSchemas } from './components.ts';
import { describeOperation } from './operation.ts';
import { withRestNames } from './rest-names.ts';
import { type LimitsOf, refineComponents } from './schemas.ts';
import type { OpenApiDocument, Operation } from './types.ts';
import { describeWebhooks } from './webhooks.ts';

export type { OpenApiDocument } from './types.ts';

const DESCRIPTION = `An API to order, operate, bill and support telecommunications and IT services. The GraphQL API has the same operations and records.
Every change is published as an event, to GraphQL subscriptions and to webhooks. The [guide](/docs/guide) explains credentials, pagination, errors and events step by step.

Lists take \`page\` and \`per_page\`, \`cursor\` and \`limit\`, or \`offset\` and \`limit\`: 50 records by default, at most 200. \`page\`, \`cursor\` and
\`offset\` cannot be combined. To filter by several values, separate them with commas or repeat the parameter. A field without a value is \`null\`, not absent. Unknown fields and query parameters are errors.

In a request body, fields whose type includes \`null\` accept null. In an update, null clears the field, and omitting a field keeps its value.
In other operations, null has the same effect as omitting the field. Descriptions of fields state where null means something else.

A request body is JSON in UTF-8, at most 256 KiB. Some operations accept larger bodies; their descriptions state the limit. \`Content-Encoding\` can be \`gzip\`, \`deflate\` or \`br\`; the limit then applies to the decoded body.`;

/**
 * Builds the OpenAPI 3.1 document of the whole REST API from Sofa's schemas, and adds the parts that Sofa does not
 * generate.
 */
export async function buildOpenApi(compiled: readonly CompiledRoute[], sofaApi: SofaApi, source: RestSource): Promise<OpenApiDocument> {
  const { areas, nonGraphRoutes = [], schemaOf, origin = NEUTRAL_ORIGIN } = source;
  const origins = { auth: source.authOrigin ?? origin, saml: source.samlOrigin ?? origin };
  const examples = (await source.examples?.()) ?? {};
  const limitsOf: LimitsOf = ({ extensions }) => {
    const place = extensions.place as SchemaPlace | undefined;
    return schemaOf && place ? { nullable: !isNonNullType(place.type), ...schemaOf(place) } : {};
  };
  const readers = new Set(compiled.filter(({ route }) => route.method === 'GET').map(({ route }) => pathShape(route.path)));
  const paths: OpenApiDocument['paths'] = {};
  const describePath = (path: string, method: string, operation: Operation): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const entry of compiled) {
    const { path, method } = entry.route;
    const known = { hasReader: readers.has(pathShape(path)), limitsOf, example: examples[entry.route.operationId] };
    describePath(path, method, describeOperation(entry, rootField(sofaApi, entry), known));
  }
  for (const { path, method, operation, servedBy } of nonGraphRoutes)
    describePath(path, method, servedAt(servedBy ? origins[servedBy] : origin, operation));
  const webhooks = describeWebhooks(source.webhookEvents?.() ?? []);
  const permissions = [
    ...new Set(compiled.flatMap(({ permission, alsoRequired }) => (permission ? [permission, ...alsoRequired] : []))),
  ].toSorted();
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Telecommunications and IT services platform', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: `${origin}/v1`, description: 'The platform.' }],
    security: securityOf(undefined),
    tags: areas.map(({ tag, description }) => ({ name: tag, description })),
    'x-tagGroups': tagGroups(areas),
    paths,
    ...(source.webhookEvents && { webhooks }),
    components: usedOnly(paths, {
      schemas: { ...refineComponents(sofaApi.schema, sofaApi.components, limitsOf), ...sharedSchemas },
      headers: sharedHeaders,
      parameters: sharedParameters,
      responses: sharedResponses,
      securitySchemes: securitySchemes(origins.auth, permissions),
    }),
  };
  return withRestNames(document);
}

/** Placeholder for the server's origin. schema/openapi.json uses it, because that file is for every installation. */
const NEUTRAL_ORIGIN = 'https://api.example.com';

/**
 * Adds `origin` to the servers that an operation states. Only operations outside of /v1 state servers, and they state them as paths, such
 * as `/`.
 */
const servedAt = (origin: string, operation: Operation): Operation =>
  operation.servers
    ? { ...operation, servers: operation.servers.map((server) => ({ ...server, url: `${origin}${server.url.replace(/\/$/, '')}` })) }
    : operation;

function tagGroups(areas: RestSource['areas']): OpenApiDocument['x-tagGroups'] {
  const names = [...new Set(areas.map(({ group }) => group))];
  return names.map((name) => ({ name, tags: areas.filter(({ group }) => group === name).map(({ tag }) => tag) }));
}

function rootField({ schema }: SofaApi, { kind, route }: CompiledRoute): GraphQLField<unknown, unknown> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[route.operationId];
  if (!field) throw new Error(`The REST schema has no field ${route.operationId}.`);
  return field;
}

type Components = OpenApiDocument['components'];

/** Removes components to which no path refers, directly or through another component. */
function usedOnly(paths: OpenApiDocument['paths'], components: Components): Components {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit(components[kind]?.[name] ?? null);
    }
  };
  visit(paths);
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(Object.entries(entries).filter(([name]) => kind === 'securitySchemes' || used.has(`${kind}/${name}`))),
    ]),
  );
}
