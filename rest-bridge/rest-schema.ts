import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
} from 'graphql';
import type { SchemaPlace } from '../kernel/records/field-schemas.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { InputField } from './input-plan.ts';
import { camelCase, restValue, restValues, snakeCase } from './names.ts';
import { restScalar } from './scalars.ts';
import type { SelectedObject } from './selection.ts';

const BUILT_IN = [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID];
/** Name of the scalar for a sort parameter in a query string. Its value is text, which the input reader parses. */
export const SORT = 'Sort';

/**
 * Builds the REST schema: a GraphQL schema with the names and shapes of REST. Sofa generates operations, argument
 * parsing and JSON schemas from it.
 * - Each route has one root field, named by its operationId. So several paths can run the same field of the graph.
 * - Arguments are flat and in snake_case.
 * - Objects contain only the fields that REST returns.
 * - Enum values are in lower case.
 */
export function buildRestSchema(routes: readonly CompiledRoute[]): GraphQLSchema {
  const types = new RestTypes();
  const root = (name: string, kind: CompiledRoute['kind']): GraphQLObjectType | undefined => {
    const own = routes.filter((route) => route.kind === kind);
    const fields = Object.fromEntries(own.map((route) => [route.route.operationId, types.rootField(route)]));
    return own.length || kind === 'query' ? new GraphQLObjectType({ name, fields, astNode: emptyNode(name) }) : undefined;
  };
  return new GraphQLSchema({ query: root('Query', 'query'), mutation: root('Mutation', 'mutation'), assumeValid: true });
}

/**
 * Returns the place of an input field in the GraphQL schema. The OpenAPI generator looks up the constraints of the
 * field by this place.
 * For a path parameter such as `ticket_id`, the place has the name `ticketId` instead of the argument name `id`,
 * because `ticketId` states the kind of record.
 */
function placeOf(
  { name, in: place, argument, field, type }: InputField,
  root: GraphQLField<unknown, unknown>,
  kind: CompiledRoute['kind'],
): SchemaPlace {
  const parent = `${kind === 'query' ? 'Query' : 'Mutation'}.${root.name}`;
  // the path of an id states its kind, such as `ticket_id`, and its argument is just `id`
  if (place === 'path' && getNamedType(type).name === 'ID') return { parent, field: camelCase(name), type };
  if (field === undefined) return { parent, field: argument, type };
  const object = root.args.find((one) => one.name === argument)?.type;
  return { parent: getNamedType(object)?.name ?? parent, field, type };
}

/**
 * Creates an empty syntax node for a root type. Without a node, Sofa prints and parses the whole root type for each
 * argument.
 */
const emptyNode = (name: string) => ({ kind: Kind.OBJECT_TYPE_DEFINITION, name: { kind: Kind.NAME, value: name }, fields: [] }) as const;

class RestTypes {
  readonly #objects = new Map<SelectedObject, GraphQLObjectType>();
  readonly #inputs = new Map<string, GraphQLInputObjectType>();
  readonly #leaves = new Map<string, GraphQLScalarType | GraphQLEnumType>(BUILT_IN.map((scalar) => [scalar.name, scalar]));

  rootField({ route, kind, field, input, object, recordType, isList }: CompiledRoute): GraphQLFieldConfig<unknown, unknown> {
    const args: GraphQLFieldConfigArgumentMap = Object.fromEntries(
      input.fields.map((one) => [one.name, { type: this.#argument(one), extensions: { place: placeOf(one, field, kind) } }]),
    );
    const record = this.#output(recordType, object);
    return { type: isList ? new GraphQLList(record) : record, args, description: route.summary };
  }

  #argument({ type, required, isSort, isNested, in: place }: InputField): GraphQLInputType {
    const restType =
      isSort && isNested
        ? this.#inputObject(getNamedType(type) as GraphQLInputObjectType)
        : isSort && place === 'query'
          ? this.#scalar(SORT)
          : this.#input(getNullableType(type));
    return required ? new GraphQLNonNull(restType) : restType;
  }

  #input(type: GraphQLInputType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#input(type.ofType));
    if (isListType(type)) return new GraphQLList(this.#input(type.ofType));
    if (isInputObjectType(type)) return this.#inputObject(type);
    return isEnumType(type) ? this.#enum(type) : this.#scalar(type.name, type.description);
  }

  #inputObject(type: GraphQLInputObjectType): GraphQLInputObjectType {
    const known = this.#inputs.get(type.name);
    if (known) return known;
    const fields = () =>
      Object.fromEntries(
        Object.values(type.getFields()).map((field) => [
          snakeCase(field.name),
          {
            type: this.#input(isRequiredInputField(field) ? field.type : getNullableType(field.type)),
            description: field.description,
            extensions: { place: { parent: type.name, field: field.name, type: field.type } satisfies SchemaPlace },
          },
        ]),
      );
    const restType = new GraphQLInputObjectType({ name: type.name, description: type.description, fields });
    this.#inputs.set(type.name, restType);
    return restType;
  }

  #output(type: GraphQLOutputType, object: SelectedObject | undefined): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#output(type.ofType, object));
    if (isListType(type)) return new GraphQLList(this.#output(type.ofType, object));
    if (object) return this.#object(object);
    return isEnumType(type) ? this.#enum(type) : this.#scalar((type as GraphQLScalarType).name);
  }

  #object(selected: SelectedObject): GraphQLObjectType {
    const known = this.#objects.get(selected);
    if (known) return known;
    const fields = Object.fromEntries(
      selected.fields.map(({ name, field, object }) => [
        name,
        {
          type: this.#output(field.type, object),
          description: field.description,
          extensions: { place: { parent: selected.type.name, field: field.name, type: field.type } satisfies SchemaPlace },
        },
      ]),
    );
    const restType = new GraphQLObjectType({ name: selected.name, description: selected.type.description, fields });
    this.#objects.set(selected, restType);
    return restType;
  }

  #enum(type: GraphQLEnumType): GraphQLEnumType {
    const known = this.#leaves.get(type.name);
    if (known) return known as GraphQLEnumType;
    const values = Object.fromEntries(restValues(type).map((value) => [value, {}]));
    const restType = new GraphQLEnumType({ name: type.name, description: withValues(type), values });
    this.#leaves.set(type.name, restType);
    return restType;
  }

  #scalar(name: string, description?: string | null): GraphQLScalarType {
    const known = this.#leaves.get(name);
    if (known) return known as GraphQLScalarType;
    const restType = restScalar(name, description);
    this.#leaves.set(name, restType);
    return restType;
  }
}

/**
 * Returns the description of an enum with a list of its values. JSON Schema has no place to describe a single value.
 */
function withValues(type: GraphQLEnumType): string | undefined {
  const values = type.getValues().flatMap(({ name, description }) => (description ? [`- \`${restValue(name)}\`: ${description}`] : []));
  return [type.description ?? '', ...values].join('\n').trim() || undefined;
}
