import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { JsonSchema } from '../json-schema.ts';
import { SORT } from '../rest-schema.ts';
import { scalarSchema } from '../scalars.ts';
import { ref } from './types.ts';

/**
 * Sofa's JSON schemas of the REST schema, in the words of OpenAPI 3.1: what may be null says so, every member of an answer is present,
 * a request has no other members, and input objects inside input objects, which Sofa leaves open, are named.
 */
export function refineComponents(
  restSchema: GraphQLSchema,
  components: Readonly<Record<string, JsonSchema>>,
  limitsOf: LimitsOf,
): Record<string, JsonSchema> {
  const roots = [restSchema.getQueryType()?.name, restSchema.getMutationType()?.name];
  const types = Object.values(restSchema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isScalarType(type) && !roots.includes(type.name),
  );
  const filters = filtersOf(restSchema);
  return Object.fromEntries(
    types
      .map((type) => [type.name, refineType(type, components[type.name] ?? {}, filters.has(type.name), limitsOf)])
      .sort(([one], [other]) => String(one).localeCompare(String(other))),
  );
}

/** Input objects of reads only. */
function filtersOf(restSchema: GraphQLSchema): Set<string> {
  const [read, changed] = [inputsOf(restSchema.getQueryType()), inputsOf(restSchema.getMutationType())];
  return new Set([...read].filter((name) => !changed.has(name)));
}

function inputsOf(root: GraphQLObjectType | null | undefined): Set<string> {
  const found = new Set<string>();
  const visit = (type: GraphQLInputType): void => {
    const named = getNamedType(type);
    if (!isInputObjectType(named) || found.has(named.name)) return;
    found.add(named.name);
    for (const field of Object.values(named.getFields())) visit(field.type);
  };
  for (const { args } of Object.values(root?.getFields() ?? {})) for (const { type } of args) visit(type);
  return found;
}

/** The specification writes some filters as one value and others as lists: a list of values may be one of them. */
function orOne(schema: JsonSchema): JsonSchema {
  return schema.type === 'array' ? { anyOf: [schema.items as JsonSchema, schema] } : schema;
}

function refineType(type: GraphQLNamedType, generated: JsonSchema, isFilter: boolean, limitsOf: LimitsOf): JsonSchema {
  const { title: _, ...schema } = generated;
  if (isEnumType(type)) return { ...schema, ...describe(type.description) };
  if (!isObjectType(type) && !isInputObjectType(type)) return schema;
  const fields = Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields());
  const properties = Object.fromEntries(
    fields.map((field) => {
      const { name, type: of, description } = field;
      const schema = limited(schemaOf(of, isObjectType(type)), limitsOf(field));
      return [name, { ...(isFilter && isLeafType(getNamedType(of)) ? orOne(schema) : schema), ...describe(description) }];
    }),
  );
  if (isInputObjectType(type)) return { ...schema, properties, additionalProperties: false };
  return { ...schema, properties, required: fields.map(({ name }) => name) };
}

/** What holds of a field or argument of the REST schema beyond its type. */
export type LimitsOf = (field: Pick<GraphQLArgument | GraphQLField<unknown, unknown>, 'extensions'>) => JsonSchema;

/** A schema with what else holds. Of a list, `items` are the limits of its entries. */
export function limited(schema: JsonSchema, { items, ...own }: JsonSchema): JsonSchema {
  const limits = { ...schema, ...own };
  return items && schema.items ? { ...limits, items: limited(schema.items as JsonSchema, items as JsonSchema) } : limits;
}

/** The schema of a type of the REST schema, which may be null where the graph may answer null. */
export function schemaOf(type: GraphQLInputType | GraphQLOutputType, showsNull: boolean): JsonSchema {
  if (isNonNullType(type)) return plainSchema(type.ofType, showsNull);
  const schema = plainSchema(type, showsNull);
  return showsNull ? orNull(schema) : schema;
}

function plainSchema(type: GraphQLType, showsNull: boolean): JsonSchema {
  if (isNonNullType(type)) return plainSchema(type.ofType, showsNull);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType as GraphQLOutputType, showsNull) };
  if (isScalarType(type)) return type.name === SORT ? sortSchema() : scalarSchema(type.name);
  return { ...ref('schemas', (type as GraphQLNamedType).name) };
}

const sortSchema = (): JsonSchema => ({ type: 'string', pattern: '^\\w+(:(asc|desc))?(,\\w+(:(asc|desc))?)*$' });

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return '$ref' in schema ? { oneOf: [schema, { type: 'null' }] } : schema;
}

export const describe = (description: string | null | undefined): { description?: string } => (description ? { description } : {});
