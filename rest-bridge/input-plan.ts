import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { restPath, snakeCase } from './names.ts';
import { pathParameters, type Route } from './route.ts';

/**
 * One value that a caller sends: its place in the REST request, and the GraphQL argument or input field that receives
 * it.
 */
export interface InputField {
  name: string;
  in: 'path' | 'query' | 'body';
  argument: string;
  /**
   * The name of the input object's field that receives the value. Set only if the argument is an input object that is
   * flattened.
   */
  field?: string;
  type: GraphQLInputType;
  required: boolean;
  /**
   * True for a sort parameter: a list of fields, each with a direction. In a query string, this value is written
   * `created_at:desc,priority:asc`.
   */
  isSort: boolean;
  /** True if the value is an input object that is not flattened. */
  isNested: boolean;
  description?: string | null;
  defaultValue?: unknown;
}

/** All input values of a route, and their places in the request. */
export interface InputPlan {
  fields: InputField[];
  /** Fields whose value the route sets. Callers cannot send them. */
  fixed: InputField[];
  /** The REST name of each GraphQL name in the input of this route. */
  restNames: ReadonlyMap<string, string>;
  /**
   * Required arguments that are flattened. The graph gets an object for each of them, even if the caller sends none of
   * its fields.
   */
  requiredObjects: string[];
}

/** The argument of a mutation for the revision that the caller has read. REST callers send it as `If-Match`. */
export const EXPECTED_REVISION = 'expectedRevision';

/**
 * Plans the input of a route. Arguments that are input objects are flattened one level: `createTicket(input: {title})`
 * takes the body `{"title": …}`.
 */
export function planInput(route: Route, field: GraphQLField<unknown, unknown>): InputPlan {
  const all = field.args.filter(({ name }) => name !== EXPECTED_REVISION).flatMap((argument) => inputFieldsOf(route, argument));
  const byName = new Map<string, InputField>();
  for (const inputField of all) {
    const other = byName.get(inputField.name);
    if (other)
      throw new RouteError(
        route,
        `${graphPath(other)} and ${graphPath(inputField)} have the same REST name ${inputField.name}; rename one of them`,
      );
    byName.set(inputField.name, inputField);
  }
  for (const parameter of pathParameters(route.path)) toPath(route, parameter, byName);
  const named = [
    ...Object.keys(route.fixed ?? {}),
    ...(route.omit ?? []),
    ...Object.keys(route.names ?? {}),
    ...Object.keys(route.nested ?? {}),
  ];
  const unknown = named.find((name) => !byName.has(name));
  if (unknown) throw new RouteError(route, `${unknown} is not an argument of ${route.field}`);
  const offered = [...byName.values()].filter(({ name }) => !Object.hasOwn(route.fixed ?? {}, name) && !route.omit?.includes(name));
  return {
    fields: offered,
    restNames: restNamesOf(field.args, [...byName.values()]),
    fixed: [...byName.values()].filter(({ name }) => Object.hasOwn(route.fixed ?? {}, name)),
    requiredObjects: field.args.filter((argument) => isFlattened(route, argument) && isRequiredArgument(argument)).map(({ name }) => name),
  };
}

function inputFieldsOf(route: Route, argument: GraphQLArgument): InputField[] {
  if (!isFlattened(route, argument)) {
    const nestedName = restNameOf(route.nested, argument.name);
    const name = nestedName ?? restNameOf(route.names, argument.name) ?? snakeCase(argument.name);
    return [
      {
        ...inputFieldOf(route, argument),
        name,
        argument: argument.name,
        required: isRequiredArgument(argument),
        isNested: nestedName !== undefined,
      },
    ];
  }
  const type = getNamedType(argument.type);
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const required = isNonNullType(argument.type) ? undefined : fields.find(isRequiredInputField);
  if (required)
    throw new RouteError(
      route,
      `${argument.name} is optional, but its field ${required.name} is required: list ${argument.name} in \`nested\``,
    );
  return fields.map((field) => ({
    ...inputFieldOf(route, field),
    name: restNameOf(route.names, field.name) ?? snakeCase(field.name),
    argument: argument.name,
    field: field.name,
    required: isRequiredInputField(field),
    isNested: false,
  }));
}

function inputFieldOf(
  route: Route,
  { type, description, defaultValue }: GraphQLArgument | GraphQLInputField,
): Omit<InputField, 'name' | 'argument' | 'required' | 'isNested'> {
  const isInBody = route.method === 'POST' || route.method === 'PUT';
  return { in: isInBody ? 'body' : 'query', type, isSort: isSortType(type), description, defaultValue };
}

const isFlattened = (route: Route, { name, type }: GraphQLArgument): boolean =>
  isInputObjectType(getNullableType(type)) && restNameOf(route.nested, name) === undefined;

const restNameOf = (names: Readonly<Record<string, string>> | undefined, graphName: string): string | undefined =>
  Object.entries(names ?? {}).find(([, target]) => target === graphName)?.[0];

/** Returns whether a type is a list such as `[TicketSort!]`: objects with exactly the fields `field` and `order`, both enums. */
export function isSortType(type: GraphQLInputType): boolean {
  const item = getNamedType(type);
  if (!isListType(getNullableType(type)) || !isInputObjectType(item)) return false;
  const { field, order, ...others } = item.getFields();
  return (
    Boolean(field && order) &&
    Object.keys(others).length === 0 &&
    isEnumType(getNamedType(field?.type)) &&
    isEnumType(getNamedType(order?.type))
  );
}

/**
 * Binds a path parameter to the argument of the same name. If no argument has this name, binds the parameter to `id`.
 */
function toPath(route: Route, parameter: string, byName: Map<string, InputField>): void {
  const name = byName.has(parameter) ? parameter : 'id';
  const inputField = byName.get(name);
  if (!inputField || inputField.in === 'path') throw new RouteError(route, `{${parameter}} is not an argument of ${route.field}`);
  byName.delete(name);
  byName.set(parameter, { ...inputField, name: parameter, in: 'path', required: true });
}

/** Returns the path of an input field in GraphQL names, such as `input.dueDate`. */
export const graphPath = ({ argument, field }: InputField): string => (field ? `${argument}.${field}` : argument);

/**
 * Translates the path of an invalid field from GraphQL names to REST names. The path starts at the input object
 * (`services.0.unitPrice`) or at the argument (`input.services.0.unitPrice`).
 */
export function restFieldOf({ fields }: InputPlan, path: string): string {
  const known = fields.find((one) => startsWith(path, graphPath(one)) || (one.field !== undefined && startsWith(path, one.field)));
  if (!known) return restPath(path);
  const matched = startsWith(path, graphPath(known)) ? graphPath(known) : (known.field ?? '');
  return `${known.name}${restPath(path.slice(matched.length))}`;
}

/**
 * Replaces GraphQL field names in the text of a problem with REST names, such as `perPage` with `per_page` in
 * `differs from perPage`.
 */
export const restWords = ({ restNames }: InputPlan, words: string): string =>
  words.replace(/\b[a-z]+(?:[A-Z][a-zA-Z0-9]*)+\b/g, (name) => restNames.get(name) ?? name);

function restNamesOf(args: readonly GraphQLArgument[], fields: readonly InputField[]): Map<string, string> {
  const restNames = new Map<string, string>();
  const visit = (name: string, type: GraphQLInputType): void => {
    const named = getNamedType(type);
    const isKnown = restNames.has(name);
    restNames.set(name, snakeCase(name));
    if (!isKnown && isInputObjectType(named)) for (const field of Object.values(named.getFields())) visit(field.name, field.type);
  };
  for (const { name, type } of args) visit(name, type);
  for (const { argument, field, name } of fields) restNames.set(field ?? argument, name);
  return restNames;
}

const startsWith = (path: string, start: string): boolean => path === start || path.startsWith(`${start}.`);

/** The error for a route that does not match the graph. It is thrown at start, before any request is served. */
export class RouteError extends Error {
  constructor({ operationId, method, path }: Route, problem: string) {
    super(`Route ${operationId} (${method} ${path}): ${problem}.`);
    this.name = 'RouteError';
  }
}
