import {
  concatAST,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  parse,
  print,
  validate,
} from 'graphql';
import { isResource, type Resource } from '../kernel/errors/resource.ts';
import type { JsonSchema } from '../kernel/graphql/json-schema.ts';
import type { SchemaPlace } from '../kernel/records/field-schemas.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { compileEnumCase, enumCase } from './enum-case.ts';
import { planInput, RouteError } from './input-plan.ts';
import { compileReader, compileVariables } from './input-reader.ts';
import { snakeCase } from './names.ts';
import type { WebhookEvent } from './openapi/webhooks.ts';
import { type PermissionOf, permissionOf } from './permission.ts';
import { type Area, type NonGraphRoute, pathParameters, type Route } from './route.ts';
import { pageNode, printSelection, type SelectedObject, Selections } from './selection.ts';

export interface RestSource {
  /** The public schema of the graph. */
  schema: GraphQLSchema;
  areas: readonly Area[];
  /** Returns the permission of a field. Default: the permission in the field's `@requiresScopes`. */
  permissionOf?: PermissionOf;
  /**
   * Returns whether a field has a policy. An example of a `coordinate` is `Mutation.createTicket`. Default: no field
   * has a policy.
   */
  hasPolicy?: (coordinate: string, policy: 'second_factor' | 'organization') => boolean;
  /**
   * Returns the constraints of a field or argument that its GraphQL type does not express, such as its maximum length.
   * Default: none.
   */
  schemaOf?: (place: SchemaPlace) => JsonSchema;
  /** Public origin of the platform, without a trailing slash. Default: a placeholder. */
  origin?: string;
  /** Public origin of the authorization server. Default: `origin`. */
  authOrigin?: string;
  /** Public origin of the SAML service provider. Default: `origin`. */
  samlOrigin?: string;
  /** The events that are posted to webhooks. Default: there are none. */
  webhookEvents?: () => readonly WebhookEvent[];
  /** Loads an example response for each operationId when the OpenAPI document is generated. Default: no examples. */
  examples?: () => Promise<Examples>;
  /**
   * Operations that do not run in the graph, such as a download. Their paths are under /v1, unless the operation states
   * `servers`.
   */
  nonGraphRoutes?: readonly NonGraphRoute[];
}

/** An example body of the successful response, for each operationId. */
export type Examples = Readonly<Record<string, unknown>>;

/** Compiles the route table. @throws RouteError for the first route that does not match the graph */
export function compileRoutes({ schema, areas, permissionOf: permission = permissionOf, hasPolicy }: RestSource): CompiledRoute[] {
  const selections = new Selections();
  const ids = new Set<string>();
  const compiled = areas.flatMap(({ tag, routes }) =>
    routes.map((route) => {
      if (ids.has(route.operationId)) throw new RouteError(route, 'another route has the same operationId');
      ids.add(route.operationId);
      const { kind, field, parent } = findField(schema, route);
      const coordinate = `${parent.name}.${field.name}`;
      return {
        tag,
        kind,
        field,
        ...permissionsOf(permission(coordinate, field)),
        isOrganizationWide: hasPolicy?.(coordinate, 'organization') ?? false,
        secondFactor: hasPolicy?.(coordinate, 'second_factor') ?? false,
        ...compileRoute(route, kind, field, selections),
      };
    }),
  );
  requireValid(schema, compiled);
  return compiled;
}

/** Validates the documents of all routes in one call. One call per document would take four times as long. */
function requireValid(schema: GraphQLSchema, compiled: readonly CompiledRoute[]): void {
  if (validate(schema, concatAST(compiled.map(({ document }) => document))).length === 0) return;
  for (const { route, document } of compiled) {
    const [error] = validate(schema, document);
    if (error) throw new RouteError(route, `its operation ${print(document)} is not valid in the graph: ${error.message}`);
  }
}

function permissionsOf(stated: string | readonly string[] | undefined): Pick<CompiledRoute, 'permission' | 'alsoRequired'> {
  const [permission, ...alsoRequired] = [stated ?? []].flat() as string[];
  return { permission, alsoRequired };
}

type Compiled = Omit<CompiledRoute, 'tag' | 'kind' | 'field' | 'permission' | 'alsoRequired' | 'isOrganizationWide' | 'secondFactor'>;

function compileRoute(route: Route, kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>, selections: Selections): Compiled {
  const input = planInput(route, field);
  const node = pageNode(field.type);
  const recordType = node ?? itemType(field.type);
  const object = selected(route, recordType, selections);
  return {
    route,
    status: route.status ?? (kind === 'mutation' && route.method === 'POST' ? 201 : 200),
    recordParameter: pathParameters(route.path).at(-1),
    resource: isNonNullType(field.type) ? undefined : resourceOf(route, recordType),
    input,
    read: compileReader(route, input),
    variables: compileVariables(route, input),
    isPage: node !== undefined,
    isList: node !== undefined || isListType(getNullableType(field.type)),
    object,
    recordType,
    convertEnums: object && compileEnumCase(object),
    convertLeaf: enumCase(recordType),
    document: buildDocument(route, kind, field, object),
  };
}

function resourceOf(route: Route, type: GraphQLOutputType): Resource {
  const name = route.resource ?? snakeCase(getNamedType(type).name);
  if (!isResource(name)) throw new RouteError(route, `${name} is not a known record type: set \`resource\``);
  return name;
}

function selected(route: Route, type: GraphQLOutputType, selections: Selections): SelectedObject | undefined {
  try {
    return selections.of(type, route.select);
  } catch (error) {
    throw new RouteError(route, error instanceof Error ? error.message : String(error));
  }
}

const PAGE_INFO = '{ page per_page: perPage total pages has_more: hasMore next_cursor: nextCursor }';
const CURSOR_INFO = '{ limit has_more: hasMore next_cursor: nextCursor scanned_until: scannedUntil }';
const COUNTED_INFO =
  '{ page per_page: perPage total is_total_exact: isTotalExact pages has_more: hasMore next_cursor: nextCursor scanned_until: scannedUntil }';
const PAGINATIONS: Readonly<Record<string, string>> = { cursor: CURSOR_INFO, counted: COUNTED_INFO };

function buildDocument(
  route: Route,
  kind: string,
  { name, args, type }: GraphQLField<unknown, unknown>,
  object?: SelectedObject,
): DocumentNode {
  const definitions = args.map((argument) => `$${argument.name}: ${variableType(argument)}`).join(', ');
  const passed = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const inner = object ? printSelection(object) : '';
  const selection = pageNode(type) ? `{ nodes ${inner} pageInfo ${PAGINATIONS[route.list ?? 'general'] ?? PAGE_INFO} }` : inner;
  const text = `${kind} ${route.operationId}${args.length ? `(${definitions})` : ''} { ${name}${args.length ? `(${passed})` : ''} ${selection} }`;
  return parse(text, { noLocation: true });
}

/**
 * Returns the type of the variable for an argument. The type is nullable if the argument has a default, so that the
 * variable may be left out.
 */
const variableType = ({ type, defaultValue }: GraphQLArgument): string => String(defaultValue === undefined ? type : getNullableType(type));

function findField(
  schema: GraphQLSchema,
  route: Route,
): { kind: 'query' | 'mutation'; field: GraphQLField<unknown, unknown>; parent: GraphQLObjectType } {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  for (const [kind, parent] of roots) {
    const field = parent?.getFields()[route.field];
    if (parent && field) return { kind, field, parent };
  }
  throw new RouteError(route, `the graph has no field ${route.field}`);
}

function itemType(type: GraphQLOutputType): GraphQLOutputType {
  const inner = getNullableType(type);
  return isListType(inner) ? (inner.ofType as GraphQLOutputType) : inner;
}
