import { readFileSync } from 'node:fs';
import { nonGraphRoutes, restAreas } from '../../apps/platform/rest-areas.ts';
import { pathParameters, type Route } from '../../rest-bridge/route.ts';
import type { Json } from '../tenant.ts';

/** Every REST operation of the route table. New operations are tested automatically. */
export const routes: readonly Route[] = restAreas.flatMap((area) => area.routes);
/** True if only the operator has the permission for the operation. */
export const isOperators = ({ path }: Route): boolean => path.startsWith('/operator/');
/** Operations that the OpenAPI document contains but that are served outside the REST routes. */
export const nonGraph = nonGraphRoutes;
export const titled = (list: readonly Route[]): (readonly [string, Route])[] =>
  list.map((route) => [`${route.method} ${route.path}`, route] as const);

export const openapi: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
export function operationOf({ method, path }: Route): Json {
  const operation = openapi.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`schema/openapi.json does not have ${method} ${path}. Run npm run schema.`);
  return operation;
}

/** The target of a `$ref` in the OpenAPI document. Returns a node without `$ref` unchanged. */
export const resolved = (node: Json): Json => {
  if (typeof node?.$ref !== 'string') return node;
  return resolved(
    (node.$ref as string)
      .split('/')
      .slice(1)
      .reduce<Json>((parent, name) => parent[name], openapi),
  );
};

/** The paths of all body fields, such as `services.0.service_id`, whose name `isWanted` accepts. */
export function bodyFields(route: Route, isWanted: (name: string) => boolean): string[][] {
  const schema = operationOf(route).requestBody?.content['application/json'].schema;
  return schema ? [...membersOf(schema, [], isWanted)] : [];
}

function* membersOf(node: Json, path: string[], isWanted: (name: string) => boolean): Generator<string[]> {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = resolved(node);
  if (items) yield* membersOf(items, [...path, '0'], isWanted);
  for (const part of [...anyOf, ...oneOf, ...allOf]) yield* membersOf(part, path, isWanted);
  for (const [name, member] of Object.entries(properties)) {
    if (isWanted(name)) yield [...path, name];
    else yield* membersOf(member, [...path, name], isWanted);
  }
}

export const hasRecordParameter = (route: Route, namesRecord: (name: string) => boolean): boolean =>
  pathParameters(route.path).some(namesRecord);

/** A copy of the body with one field set. Missing objects on the path of the field are created. */
export function withField(body: Json, [name, ...rest]: readonly string[], value: unknown): Json {
  if (name === undefined) return value;
  if (/^\d+$/.test(name)) {
    const list = Array.isArray(body) ? [...body] : [];
    list[Number(name)] = withField(list[Number(name)], rest, value);
    return list;
  }
  return { ...body, [name]: withField(body?.[name], rest, value) };
}
