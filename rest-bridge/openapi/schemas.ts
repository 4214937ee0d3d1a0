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
 * Converts Sofa's JSON schemas of the REST types to OpenAPI 3.1, and adds the missing parts:
 * - A field that can be null has the type `null` too.
 * - All fields of a response object are required.
 * - A request object allows no additional fields.
 * - Nested input objects, which Sofa leaves without a schema, refer to a named schema.
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

/** Returns the names of input objects that only queries use. */
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

/**
 * Lets a filter accept one value instead of a list. The specification shows some filters with one value and others with
 * a list.
 */
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
      const limits = limitsOf(field);
      const plain = limited(schemaOf(of, isObjectType(type)), limits);
      const schema = isInputObjectType(type) && !isFilter && limits.nullable ? orNull(plain) : plain;
      return [name, { ...(isFilter && isLeafType(getNamedType(of)) ? orOne(schema) : schema), ...describe(description) }];
    }),
  );
  if (isInputObjectType(type)) return { ...schema, properties, additionalProperties: false };
  return { ...schema, properties, required: fields.map(({ name }) => name) };
}

/**
 * Returns the constraints of a field or argument that its GraphQL type does not express, such as its maximum length.
 * `nullable` is true if a request may set the field to null.
 */
export type LimitsOf = (field: Pick<GraphQLArgument | GraphQLField<unknown, unknown>, 'extensions'>) => JsonSchema;

/** Adds constraints to a schema. If the schema is a list, `items` contains the constraints of each item. */
export function limited(schema: JsonSchema, { items, nullable: _, ...own }: JsonSchema): JsonSchema {
  const limits = { ...schema, ...own };
  return items && schema.items ? { ...limits, items: limited(schema.items as JsonSchema, items as JsonSchema) } : limits;
}

/** Returns the JSON schema of a REST type. Null is allowed only with `showsNull`, and only for a nullable type. */
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

export function orNull(schema: JsonSchema): JsonSchema {
  const { $ref, enum: values, ...others } = schema;
  if ($ref) return { ...others, oneOf: [{ $ref }, { type: 'null' }] };
  if (typeof schema.type !== 'string') return schema;
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) };
}

export const describe = (description: string | null | undefined): { description?: string } => (description ? { description } : {});
