import type { FastifyRequest } from 'fastify';
import { parse } from 'qs';
import { Problems } from '../kernel/errors/problems.ts';
import { compileCoercion, compileSort } from './coercion.ts';
import { type InputField, type InputPlan, RouteError } from './input-plan.ts';
import { type Coerce, fieldsOf, isObject, reportUnknown, type Source, wrong } from './problems.ts';
import type { Route } from './route.ts';

/** The parts of a request that a route reads. */
export interface RawInput {
  params: Readonly<Record<string, string>>;
  /** The query string: the text after `?`. Undefined if the URL has no query string. */
  search: string | undefined;
  body: unknown;
}

/** Values of a request by REST name, converted for GraphQL. An invalid value is left out or undefined. */
export interface ReadValues {
  values: Record<string, unknown>;
  problems: Problems;
}
export type ReadInput = (input: RawInput) => ReadValues;

interface Slot {
  required: boolean;
  text: Coerce;
  json: Coerce;
}

/**
 * Compiles the function that reads and checks the input of a route. No other code of the bridge checks the types of
 * request values. The function does not use the GraphQL schema while requests are served.
 */
export function compileReader(route: Route, { fields }: InputPlan): ReadInput {
  const of = (place: InputField['in']) => new Map(fields.filter((field) => field.in === place).map((field) => [field.name, slotOf(field)]));
  const [path, query, body] = [of('path'), of('query'), of('body')];
  return ({ params, search, body: sent }) => {
    const problems = new Problems();
    const values: Record<string, unknown> = {};
    for (const [name, { text }] of path) values[name] = text(params[name], name, problems);
    const inQuery = parseSearch(search, problems);
    const inBody = bodyObject(sent, problems);
    if (route.bodyOnGet) {
      readAll(query, inQuery, 'text', values, problems, Object.keys(inBody));
      readAll(query, inBody, 'json', values, problems, [...query.keys()]);
    } else {
      readAll(query, inQuery, 'text', values, problems);
      readAll(body, inBody, 'json', values, problems);
    }
    return { values, problems };
  };
}

const slotOf = ({ required, type, isSort }: InputField): Slot => ({
  required,
  text: isSort ? eitherSort(compileSort(type), listOfOne(compileCoercion(type, 'text'))) : compileCoercion(type, 'text'),
  json: isSort ? listOfOne(compileCoercion(type, 'json')) : compileCoercion(type, 'json'),
});

/** Accepts a single object as a list with one item: `"sort": {"field": …}` or `sort[field]=…`. */
const listOfOne =
  (coerce: Coerce): Coerce =>
  (value, at, problems) =>
    coerce(isObject(value) ? [value] : value, at, problems);
const eitherSort =
  (text: Coerce, objects: Coerce): Coerce =>
  (value, at, problems) =>
    (isObject(value) || (Array.isArray(value) && value.some(isObject)) ? objects : text)(value, at, problems);

function readAll(
  slots: ReadonlyMap<string, Slot>,
  sent: Record<string, unknown>,
  source: Source,
  values: Record<string, unknown>,
  problems: Problems,
  elsewhere: readonly string[] = [],
): void {
  for (const name of fieldsOf(sent, source === 'text' ? 'query' : 'body', problems) ?? []) {
    const slot = slots.get(name);
    if (slot) values[name] = slot[source](sent[name], name, problems);
    else reportUnknown(name, [...slots.keys()], '', problems, source === 'text' ? 'query parameter' : 'field');
  }
  for (const [name, { required }] of slots)
    if (required && !Object.hasOwn(sent, name) && !elsewhere.includes(name)) wrong(problems, name, undefined, 'is required');
}

/** Returns the query string of a request as it was sent. */
export function searchOf({ raw: { url = '' } }: FastifyRequest): string | undefined {
  const start = url.indexOf('?');
  return start < 0 ? undefined : url.slice(start + 1);
}

const MAX_PARAMETERS = 100;
const QUERY_OPTIONS = {
  depth: 4,
  strictDepth: true,
  parameterLimit: MAX_PARAMETERS,
  arrayLimit: MAX_PARAMETERS,
  throwOnLimitExceeded: true,
  plainObjects: true,
} as const;

function parseSearch(search: string | undefined, problems: Problems): Record<string, unknown> {
  if (!search) return {};
  try {
    return parse(search, QUERY_OPTIONS);
  } catch {
    wrong(problems, 'query', undefined, `has more than ${MAX_PARAMETERS} parameters or is nested too deeply`);
    return {};
  }
}

function bodyObject(body: unknown, problems: Problems): Record<string, unknown> {
  if (body === undefined) return {};
  if (isObject(body)) return body;
  wrong(problems, 'body', undefined, 'must be a JSON object');
  return {};
}

/** Compiles the function that converts values by REST name to variables of the route's GraphQL operation. */
export function compileVariables(
  route: Route,
  { fields, fixed, requiredObjects }: InputPlan,
): (values: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const constants = fixed.map((field) => ({ field, value: fixedValue(route, field) }));
  return (values) => {
    const variables: Record<string, unknown> = {};
    for (const argument of requiredObjects) variables[argument] = {};
    for (const field of fields) place(variables, field, values[field.name]);
    for (const { field, value } of constants) place(variables, field, value);
    return variables;
  };
}

function place(variables: Record<string, unknown>, { argument, field }: InputField, value: unknown): void {
  if (value === undefined) return;
  if (field === undefined) variables[argument] = value;
  else {
    variables[argument] ??= {};
    (variables[argument] as Record<string, unknown>)[field] = value;
  }
}

function fixedValue(route: Route, { name, type }: InputField): unknown {
  const problems = new Problems();
  const value = compileCoercion(type, 'json')(route.fixed?.[name], name, problems);
  const [first] = problems.listed;
  if (first) throw new RouteError(route, `the fixed value of ${first.field} ${first.reason}`);
  return value;
}
