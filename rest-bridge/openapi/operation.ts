import { type GraphQLArgument, type GraphQLField, getNamedType, isEnumType, isInputObjectType } from 'graphql';
import type { CompiledRoute } from '../compiled-route.ts';
import type { InputField } from '../input-plan.ts';
import type { JsonSchema } from '../json-schema.ts';
import { restValue, restValues } from '../names.ts';
import { countedCategoryOf, weightOfRoute } from '../route.ts';
import { errorResponse, headersWith, securityOf } from './components.ts';
import { contentOf, descriptionOf } from './operation-description.ts';
import { isOnce, namesRecord } from './operation-facts.ts';
import { describe, type LimitsOf, limited, orNull, schemaOf } from './schemas.ts';
import { type MediaType, type Operation, type Parameter, type Reference, type Response, ref } from './types.ts';

/** Schemas of `pagination`, by the format of the page. Default: `Pagination`. */
const PAGINATIONS: Readonly<Record<string, string>> = { cursor: 'CursorPagination', counted: 'CountedPagination' };

/** Information about a route that `CompiledRoute` does not contain. */
interface RouteFacts {
  /** True if the route's path also has a GET. */
  hasReader: boolean;
  limitsOf: LimitsOf;
  /** An example body of a successful response. Undefined if there is none. */
  example: unknown;
}

/** Describes one route in OpenAPI. `root` is the field of the REST schema that belongs to the route. */
export function describeOperation(compiled: CompiledRoute, root: GraphQLField<unknown, unknown>, known: RouteFacts): Operation {
  const { hasReader, limitsOf } = known;
  const { route, tag, permission, alsoRequired, secondFactor, input } = compiled;
  const body = requestBody(compiled, root, limitsOf);
  const description = descriptionOf(compiled, { hasReader, takesInput: body !== undefined || input.fields.length > 0 });
  const category = countedCategoryOf(route);
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...describe(description),
    tags: [tag],
    ...(route.access === 'public' ? { security: [] } : permission && { security: securityOf(permission, alsoRequired) }),
    parameters: [...parameters(compiled, root, limitsOf), ...headerParameters(compiled, hasReader)],
    ...(body && { requestBody: body }),
    responses: responses(compiled, root, body !== undefined, known),
    'x-rate-weight': weightOfRoute(route),
    ...(permission && { 'x-permission': permission }),
    ...(alsoRequired.length > 0 && { 'x-also-required': alsoRequired }),
    ...(secondFactor && { 'x-second-factor': true as const }),
    ...(category && { 'x-rate-category': category }),
    ...(route.addition && { 'x-addition': true as const }),
  };
}

function parameters({ input }: CompiledRoute, root: GraphQLField<unknown, unknown>, limitsOf: LimitsOf): Parameter[] {
  return input.fields
    .filter((field) => field.in !== 'body')
    .map((field) => {
      const plain = fieldSchema(field, root, limitsOf);
      const isSort = field.isSort && !field.isNested;
      // a list parameter must have at least one item: an empty text is invalid
      const schema = isSort ? { ...plain, pattern: sortPattern(field) } : plain.type === 'array' ? { minItems: 1, ...plain } : plain;
      return {
        name: field.name,
        in: field.in as 'path' | 'query',
        required: field.required,
        ...describe(isSort ? sortDescription(field) : field.in === 'path' ? withoutDefault(field.description) : field.description),
        schema,
        ...(schema.type === 'array' && { style: 'form', explode: false }),
        ...('$ref' in schema && field.isNested && { style: 'deepObject', explode: true }),
      };
    });
}

function sortFields({ type }: InputField): string[] {
  const input = getNamedType(type);
  const field = isInputObjectType(input) ? getNamedType(input.getFields().field?.type) : undefined;
  return isEnumType(field) ? restValues(field) : [];
}

/** Returns the pattern of a sort parameter: fields separated by commas, each with an optional direction. */
function sortPattern(field: InputField): string {
  const one = `(${sortFields(field).join('|')})(:(asc|desc))?`;
  return `^${one}(,${one})*$`;
}

/**
 * Removes the sentence about the default value from the description of a path parameter. The GraphQL argument may be
 * optional, but a path always contains the parameter.
 */
const withoutDefault = (description: string | null | undefined): string | undefined => description?.replace(/ Default: [^.]*\.$/, '');

function sortDescription(sort: InputField): string {
  const names = sortFields(sort)
    .map((name) => `\`${name}\``)
    .join(', ');
  return `Fields to sort by, separated by commas. Each can be followed by \`:asc\` (the default) or \`:desc\`. Allowed fields: ${names}. ${sort.description?.match(/Default: .*$/)?.[0] ?? ''}`.trimEnd();
}

function headerParameters(compiled: CompiledRoute, hasReader: boolean): Reference[] {
  const { method } = compiled.route;
  const names = [
    'ApiVersion',
    ...(method === 'GET' ? ['IfNoneMatch'] : []),
    ...((method === 'PUT' || method === 'DELETE') && hasReader ? ['IfMatch'] : []),
    ...(isOnce(compiled) ? ['IdempotencyKey'] : []),
  ];
  return names.map((name) => ref('parameters', name));
}

function requestBody(
  { route, kind, input }: CompiledRoute,
  root: GraphQLField<unknown, unknown>,
  limitsOf: LimitsOf,
): Operation['requestBody'] {
  const fields = input.fields.filter((field) => field.in === 'body' || (route.bodyOnGet && field.in === 'query'));
  if (fields.length === 0) return undefined;
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = Object.fromEntries(
    fields.map((field) => {
      const plain = fieldSchema(field, root, limitsOf);
      const acceptsNull = kind === 'mutation' && limitsOf(argumentOf(field, root)).nullable;
      return [field.name, { ...(acceptsNull ? orNull(plain) : plain), ...describe(field.description) }];
    }),
  );
  const schema = { type: 'object', properties, ...(required.length && { required }), additionalProperties: false };
  const media: MediaType = { schema, ...(route.example && { example: route.example }) };
  const { largeBody } = route;
  const description =
    largeBody && `The body may have at most ${largeBody.mebibytes} MiB instead of the usual 256 KiB: ${largeBody.reason}.`;
  return { ...describe(description), required: required.length > 0, content: { 'application/json': media } };
}

function argumentOf({ name }: InputField, root: GraphQLField<unknown, unknown>): GraphQLArgument {
  const found = root.args.find((argument) => argument.name === name);
  if (!found) throw new Error(`The REST schema has no argument ${name}.`);
  return found;
}

function fieldSchema(field: InputField, root: GraphQLField<unknown, unknown>, limitsOf: LimitsOf): JsonSchema {
  const { defaultValue } = field;
  const found = argumentOf(field, root);
  const schema = limited(schemaOf(found.type, false), limitsOf(found));
  if (defaultValue === undefined || defaultValue === null || typeof defaultValue === 'object') return schema;
  return { ...schema, default: '$ref' in schema ? restValue(String(defaultValue)) : defaultValue };
}

function responses(
  compiled: CompiledRoute,
  root: GraphQLField<unknown, unknown>,
  hasBody: boolean,
  { hasReader, example }: RouteFacts,
): Operation['responses'] {
  const { route, kind, status, input } = compiled;
  const isRead = route.method === 'GET';
  const errors = [
    400,
    // public operations too can respond with 401, for example to a wrong password
    401,
    403,
    ...(input.fields.some((field) => field.in === 'path') || namesRecord(compiled) ? [404] : []),
    ...(kind === 'mutation' ? [409] : []),
    ...(hasBody ? [413, 415] : []),
    429,
    500,
    503,
  ];
  const headers = headersWith(
    ...(isRead || (route.method === 'PUT' && hasReader) ? ['ETag'] : []),
    ...(isOnce(compiled) ? ['Idempotent-Replayed'] : []),
  );
  const success: Response = {
    description: `Success: ${contentOf(compiled)}.`,
    headers,
    content: { 'application/json': { schema: successSchema(compiled, root), ...(example !== undefined && { example }) } },
  };
  return {
    [status]: success,
    ...(isRead && { 304: ref('responses', 'NotModified') }),
    ...Object.fromEntries(errors.map((code) => [code, errorResponse(code)])),
  };
}

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', required: Object.keys(properties), properties });

/**
 * Returns the schema of a successful response. The record or list is in the general envelope, or in an object with the
 * property `wrap`. If `bare` is set, the record or list is the whole body.
 */
function successSchema(
  { route: { wrap, bare, list = 'general' }, isPage, isList }: CompiledRoute,
  root: GraphQLField<unknown, unknown>,
): JsonSchema {
  // the record is never null in a successful response: if it does not exist, the status is 404
  const { oneOf, ...own } = schemaOf(root.type, false);
  const data = oneOf ? ((oneOf as JsonSchema[])[0] ?? own) : own;
  if (bare) return data;
  if (isPage && list === 'support') return object({ [wrap ?? 'data']: data, pagination: { ...ref('schemas', 'SupportPagination') } });
  if (isPage && list === 'invoices')
    return object({ [wrap ?? 'data']: data, total_count: { type: 'integer' }, has_more: { type: 'boolean' } });
  if (wrap) return object({ [wrap]: data });
  const metadata = { ...ref('schemas', 'ResponseMetadata') };
  return object({
    success: { type: 'boolean', const: true },
    data,
    ...(isList && { pagination: { ...ref('schemas', PAGINATIONS[list] ?? 'Pagination') } }),
    metadata,
  });
}
