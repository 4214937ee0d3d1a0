import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Decimal } from '../values/money.ts';
import { isoText } from '../values/timestamps.ts';

export { GraphQLJSON as Json, GraphQLJSONObject as JsonObject };

/** Matches ISO 8601 dates and timestamps. Year 0 is invalid, because PostgreSQL does not have it. */
const ISO = /^(?!0000)\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A point in time. Output: ISO 8601 in UTC with milliseconds and `Z`. Input: ISO 8601 with a zone, or a date (midnight in UTC). */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'Point in time. Output: ISO 8601 in UTC with milliseconds, such as 2026-01-31T09:30:00.000Z. Input: ISO 8601 with a time zone, or a date, which means its midnight in UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => isoText(value instanceof Date ? value : parseInstant(value)),
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(textOf(node)),
});

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' && ISO.test(value) && isOnCalendar(value) ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new GraphQLError('must be an ISO 8601 timestamp such as 2026-01-31T09:30:00Z');
  return instant;
}

/** Rejects dates such as 30 February, which JavaScript reads as 2 March. */
const isOnCalendar = (text: string): boolean => new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10));

/**
 * An exact decimal number, such as an amount of money. Requests and responses contain it as a JSON number. Requests may
 * also contain it as a string.
 */
export const DecimalNumber = new GraphQLScalarType<Decimal, number>({
  name: 'Decimal',
  description:
    'Exact decimal number, such as an amount of money, with up to 14 digits before and 10 after the point. Input: a number or a numeric string.',
  serialize: (value) => (value instanceof Decimal ? value : parseDecimal(value)).toNumber(),
  parseValue: parseDecimal,
  parseLiteral: (node) => parseDecimal(textOf(node)),
});

const DECIMAL = /^-?\d{1,14}(\.\d{1,10})?$/;

function parseDecimal(value: unknown): Decimal {
  const text = typeof value === 'number' ? new Decimal(value).toFixed() : value;
  if (typeof text !== 'string' || !DECIMAL.test(text)) throw new GraphQLError('must be a decimal number such as 149.95');
  return new Decimal(text);
}

const textOf = (node: ValueNode): unknown =>
  node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : undefined;
