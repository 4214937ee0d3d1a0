import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { restValue, snakeCase } from './names.ts';
import { type Coerce, fieldsOf, isObject, reportUnknown, type Source, wrong } from './problems.ts';
import { scalarCoercion } from './scalars.ts';

/**
 * Compiles the function that converts and validates values of an input type. Each type is compiled once, before the
 * first request.
 */
export function compileCoercion(type: GraphQLInputType, source: Source): Coerce {
  if (isNonNullType(type)) {
    const coerce = compileCoercion(type.ofType, source);
    return (value, at, problems) => (value === null ? wrong(problems, at, value, 'must not be null') : coerce(value, at, problems));
  }
  const coerce = compileNullable(type, source);
  return (value, at, problems) => (value === null ? null : coerce(value, at, problems));
}

function compileNullable(type: GraphQLInputType, source: Source): Coerce {
  if (isListType(type)) return compileList(type.ofType, source);
  if (isInputObjectType(type)) return compileObject(type, source);
  if (isEnumType(type)) return compileEnum(type);
  return source === 'text' ? once(scalarCoercion(getNamedType(type).name, source)) : scalarCoercion(getNamedType(type).name, source);
}

/** Rejects a query parameter that is repeated. The value of a repeated parameter is an array. */
const once =
  (coerce: Coerce): Coerce =>
  (value, at, problems) =>
    Array.isArray(value) ? wrong(problems, at, value, 'is given more than once') : coerce(value, at, problems);

function compileEnum(type: GraphQLEnumType): Coerce {
  const values = new Map(type.getValues().map(({ name }) => [restValue(name), name]));
  const reason = `must be one of ${[...values.keys()].join(', ')}`;
  return once((value, at, problems) => (typeof value === 'string' && values.get(value)) || wrong(problems, at, value, reason));
}

const MAX_ITEMS = 1000;

function compileList(item: GraphQLInputType, source: Source): Coerce {
  const coerce = compileCoercion(item, source);
  const isLeaf = isLeafType(getNamedType(item));
  const isSplit = source === 'text' && isLeaf;
  return (value, at, problems) => {
    // as in GraphQL, a single value is accepted as a list with one item
    const items = isSplit ? splitAll(value) : isLeaf && !isObject(value) && !Array.isArray(value) ? [value] : value;
    if (!Array.isArray(items)) return wrong(problems, at, value, 'must be an array');
    if (items.length > MAX_ITEMS) return wrong(problems, at, undefined, `has ${items.length} items, at most ${MAX_ITEMS} are accepted`);
    return items.map((entry, index) => coerce(entry, isSplit ? at : `${at}.${index}`, problems));
  };
}

/** Splits lists in a query: `status=open,in_progress` and `status=open&status=in_progress` mean the same list. */
function splitAll(value: unknown): unknown {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.flatMap((entry: unknown) => (typeof entry === 'string' ? entry.split(',') : [entry])) : value;
}

function compileObject(type: GraphQLInputObjectType, source: Source): Coerce {
  // compiled at first use, because an input type may refer to itself
  let fields: Map<string, { graphName: string; required: boolean; coerce: Coerce }> | undefined;
  const compile = () =>
    new Map(
      Object.values(type.getFields()).map((field) => [
        snakeCase(field.name),
        { graphName: field.name, required: isRequiredInputField(field), coerce: compileCoercion(field.type, source) },
      ]),
    );
  return (value, at, problems) => {
    if (!isObject(value)) return wrong(problems, at, value, 'must be an object');
    fields ??= compile();
    const result: Record<string, unknown> = {};
    for (const name of fieldsOf(value, at, problems) ?? []) {
      const field = fields.get(name);
      if (field) result[field.graphName] = field.coerce(value[name], `${at}.${name}`, problems);
      else reportUnknown(name, [...fields.keys()], at, problems);
    }
    for (const [name, { required }] of fields)
      if (required && !Object.hasOwn(value, name)) wrong(problems, `${at}.${name}`, undefined, 'is required');
    return result;
  };
}

/**
 * Compiles a sort parameter such as `created_at:desc,priority:asc`. A field without a direction is sorted in ascending
 * order.
 */
export function compileSort(type: GraphQLInputType): Coerce {
  const item = getNamedType(type) as GraphQLInputObjectType;
  const { field, order } = item.getFields();
  const coerceField = compileCoercion((field as { type: GraphQLInputType }).type, 'text');
  const coerceOrder = compileCoercion((order as { type: GraphQLInputType }).type, 'text');
  return (value, at, problems) => {
    const parts = splitAll(value);
    if (!Array.isArray(parts)) return wrong(problems, at, value, 'must be like created_at:desc,priority:asc');
    return parts.map((part: unknown) => {
      const [name, direction = 'asc', ...rest] = String(part).split(':');
      if (rest.length) return wrong(problems, at, part, 'must be like created_at:desc,priority:asc');
      return { field: coerceField(name, at, problems), order: coerceOrder(direction, at, problems) };
    });
  };
}
