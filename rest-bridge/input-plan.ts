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

/** One value that a caller sends: where it is in the request, and where it goes in the graph. */
export interface InputField {
  name: string;
  in: 'path' | 'query' | 'body';
  argument: string;
  /** The field of the argument's input object, if that object was flattened. */
  member?: string;
  type: GraphQLInputType;
  required: boolean;
  /** A list of fields with an order each: `created_at:desc,priority:asc` in a query. */
  isSort: boolean;
  /** An input object that is not flattened. */
  isNested: boolean;
  description?: string | null;
  defaultValue?: unknown;
}

/** All input of a route. */
export interface InputPlan {
  fields: InputField[];
  /** Fields whose value the route sets. */
  fixed: InputField[];
  /** The REST name of each name that the graph has for something of this route. */
  restNames: ReadonlyMap<string, string>;
  /** Arguments that must be an object even if none of its fields is sent. */
  requiredObjects: string[];
}

/** The argument of a mutation for the revision that the caller has seen. In REST, it comes from If-Match. */
export const EXPECTED_REVISION = 'expectedRevision';

/** Input objects that are arguments are flattened one level: `createTicket(input: {title})` takes a body `{"title": …}`. */
export function planInput(route: Route, field: GraphQLField<unknown, unknown>): InputPlan {
  const all = field.args.filter(({ name }) => name !== EXPECTED_REVISION).flatMap((argument) => membersOf(route, argument));
  const byName = new Map<string, InputField>();
  for (const member of all) {
    const other = byName.get(member.name);
    if (other) throw new RouteError(route, `${graphPath(other)} and ${graphPath(member)} are both called ${member.name}; name one of them`);
    byName.set(member.name, member);
  }
  for (const parameter of pathParameters(route.path)) toPath(route, parameter, byName);
  const named = [
    ...Object.keys(route.fixed ?? {}),
    ...(route.omit ?? []),
    ...Object.keys(route.names ?? {}),
    ...Object.keys(route.nested ?? {}),
  ];
  const unknown = named.find((name) => !byName.has(name));
  if (unknown) throw new RouteError(route, `${unknown} is no argument of ${route.field}`);
  const offered = [...byName.values()].filter(({ name }) => !Object.hasOwn(route.fixed ?? {}, name) && !route.omit?.includes(name));
  return {
    fields: offered,
    restNames: restNamesOf(field.args, [...byName.values()]),
    fixed: [...byName.values()].filter(({ name }) => Object.hasOwn(route.fixed ?? {}, name)),
    requiredObjects: field.args.filter((argument) => isFlattened(route, argument) && isRequiredArgument(argument)).map(({ name }) => name),
  };
}

function membersOf(route: Route, argument: GraphQLArgument): InputField[] {
  if (!isFlattened(route, argument)) {
    const nestedName = restNameOf(route.nested, argument.name);
    const name = nestedName ?? restNameOf(route.names, argument.name) ?? snakeCase(argument.name);
    return [
      {
        ...memberOf(route, argument),
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
  if (required) throw new RouteError(route, `${argument.name} is optional and its member ${required.name} is not: it can only be nested`);
  return fields.map((member) => ({
    ...memberOf(route, member),
    name: restNameOf(route.names, member.name) ?? snakeCase(member.name),
    argument: argument.name,
    member: member.name,
    required: isRequiredInputField(member),
    isNested: false,
  }));
}

function memberOf(
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

/** `[TicketSort!]`: objects of a field and an order, both enums. */
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

/** Binds a path parameter to the argument of its name, otherwise to `id`. */
function toPath(route: Route, parameter: string, byName: Map<string, InputField>): void {
  const name = byName.has(parameter) ? parameter : 'id';
  const member = byName.get(name);
  if (!member || member.in === 'path') throw new RouteError(route, `{${parameter}} is no argument of ${route.field}`);
  byName.delete(name);
  byName.set(parameter, { ...member, name: parameter, in: 'path', required: true });
}

/** Returns the path of an input field in the graph's names. */
export const graphPath = ({ argument, member }: InputField): string => (member ? `${argument}.${member}` : argument);

/**
 * Translates the name of an invalid field from the graph to REST. The graph names it relative to its input object
 * (`services.0.unitPrice`) or to the argument (`input.services.0.unitPrice`).
 */
export function restFieldOf({ fields }: InputPlan, path: string): string {
  const known = fields.find(
    (member) => startsWith(path, graphPath(member)) || (member.member !== undefined && startsWith(path, member.member)),
  );
  if (!known) return restPath(path);
  const matched = startsWith(path, graphPath(known)) ? graphPath(known) : (known.member ?? '');
  return `${known.name}${restPath(path.slice(matched.length))}`;
}

/** Translates the graph's field names in the message of a rule to REST names, as in `differs from per_page`. */
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
  for (const { argument, member, name } of fields) restNames.set(member ?? argument, name);
  return restNames;
}

const startsWith = (path: string, start: string): boolean => path === start || path.startsWith(`${start}.`);

/** A route does not match the graph. Detected at start, before anything is served. */
export class RouteError extends Error {
  constructor({ operationId, method, path }: Route, problem: string) {
    super(`Route ${operationId} (${method} ${path}): ${problem}.`);
    this.name = 'RouteError';
  }
}
