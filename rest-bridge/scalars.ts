import { GraphQLScalarType } from 'graphql';
import { DateTime, DecimalNumber } from '../kernel/graphql/scalars.ts';
import { isStorable, UNSTORABLE, unstorableIn } from '../kernel/values/text.ts';
import { type Coerce, isObject, type Source, wrong } from './problems.ts';

type Check = (value: unknown) => unknown;
interface Scalar {
  json: Check;
  text: Check;
  reason: string;
  schema: Readonly<Record<string, unknown>>;
}

const INVALID = Symbol('invalid');
const INT_MAX = 2 ** 31 - 1;
const when =
  (holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? value : INVALID;
const isInt = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) <= INT_MAX;
const parses =
  ({ parseValue }: GraphQLScalarType) =>
  (value: unknown): boolean => {
    try {
      parseValue(value);
      return true;
    } catch {
      return false;
    }
  };
const parsed =
  (pattern: RegExp, check: Check): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? check(Number(value)) : INVALID;
const isString = (value: unknown): boolean => typeof value === 'string' && isStorable(value);
const number = when(Number.isFinite);
const NUMBER = /^-?\d+(\.\d+)?$/;
const instant = when(parses(DateTime));
const decimal = when((value) => typeof value === 'number' && parses(DecimalNumber)(value));
const storable = (value: unknown): boolean => unstorableIn(value) === undefined;

/**
 * The GraphQL scalars that REST checks, by name. `json` checks a value in a body, and `text` checks a value in a path or
 * query. The graph checks the values again.
 */
const SCALARS: Readonly<Record<string, Scalar>> = {
  Int: { json: when(isInt), text: parsed(/^-?\d{1,10}$/, when(isInt)), reason: 'must be an integer', schema: { type: 'integer' } },
  Float: { json: number, text: parsed(NUMBER, number), reason: 'must be a number', schema: { type: 'number' } },
  Decimal: {
    json: decimal,
    text: parsed(NUMBER, decimal),
    reason: 'must be a decimal number such as 149.95',
    schema: { type: 'number', format: 'decimal' },
  },
  String: { json: when(isString), text: when(isString), reason: 'must be a string', schema: { type: 'string' } },
  ID: {
    json: when((id) => isString(id) && id !== ''),
    text: when((id) => isString(id) && id !== ''),
    reason: 'must be an id',
    schema: { type: 'string' },
  },
  Boolean: {
    json: when((value) => typeof value === 'boolean'),
    text: (value) => (value === 'true' ? true : value === 'false' ? false : INVALID),
    reason: 'must be true or false',
    schema: { type: 'boolean' },
  },
  DateTime: {
    json: instant,
    text: instant,
    reason: 'must be an ISO 8601 timestamp such as 2026-01-31T09:30:00Z',
    schema: { type: 'string', format: 'date-time' },
  },
  JSON: { json: when(storable), text: when(storable), reason: UNSTORABLE, schema: {} },
  JSONObject: {
    json: when((value) => isObject(value) && storable(value)),
    text: when(isObject),
    reason: 'must be an object',
    schema: { type: 'object', additionalProperties: true },
  },
};

/**
 * Definition of every scalar that is not in `SCALARS`. REST does not check the values of these scalars, because the subgraphs that define
 * the scalars validate them.
 */
const UNKNOWN: Scalar = { json: (value) => value, text: (value) => value, reason: '', schema: {} };

export function scalarCoercion(name: string, source: Source): Coerce {
  const { [source]: check, reason } = SCALARS[name] ?? UNKNOWN;
  return (value, at, problems) => {
    const checked = check(value);
    if (checked !== INVALID) return checked;
    return storable(value) ? wrong(problems, at, value, reason) : wrong(problems, at, undefined, UNSTORABLE);
  };
}

/** Returns the JSON Schema of a scalar. Each call returns a new object, because Sofa writes descriptions into it. */
export const scalarSchema = (name: string): Record<string, unknown> => ({ ...(SCALARS[name] ?? UNKNOWN).schema });

/**
 * Creates a scalar of the REST schema. The scalar converts and checks nothing, because values are checked before Sofa
 * gets them.
 */
export const restScalar = (name: string, description?: string | null): GraphQLScalarType =>
  new GraphQLScalarType({ name, description, serialize: (value) => value, parseValue: (value) => value });
