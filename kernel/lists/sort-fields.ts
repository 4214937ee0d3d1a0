import { type SortBy, SortOrder } from '../graphql/page.ts';
import type { Parameters } from './parameters.ts';

/**
 * A field by which lists can be sorted. `type` is the SQL type of its values, and `runtimeType` is their type in a
 * cursor. The column is never null.
 */
export interface SortField {
  column: string;
  type: string;
  runtimeType: string;
  /** All possible values, if the field has only few values. */
  items?: readonly string[];
  /**
   * Returns the SQL expressions by which the field sorts, most significant first. `value` is the SQL of the column or
   * parameter. Default: the field sorts by the value itself.
   */
  orderedBy?(value: string): string[];
  /**
   * Returns the position of a value in the sort order. Only fields whose column may be a range column have this function (index-ranges.ts),
   * because all rows of a range have the same value.
   */
  rank?(value: unknown): number;
}

/** The sort fields of a table by name. */
export type SortFields = Readonly<Record<string, SortField>>;

/** Creates a sort field for a column of timestamps. */
export const timestampIn = (column: string): SortField => ({ column, type: 'timestamptz', runtimeType: 'Date' });
/** Creates a sort field for a column of texts. */
export const textIn = (column: string): SortField => ({ column, type: 'text', runtimeType: 'string' });

/**
 * Returns the sort field with the name `name`.
 * @throws Error if there is none, which is a programming error
 */
export function sortFieldOf(fields: SortFields, name: string): SortField {
  const found = fields[name];
  if (!found) throw new Error(`The list has no sort field ${name}.`);
  return found;
}

/**
 * Returns the SQL expressions by which a sort field sorts, applied to `value`: the column of the field, or a parameter.
 */
const expressionsOf = ({ orderedBy }: SortField, value: string): string[] => orderedBy?.(value) ?? [value];

/** Returns the content of the `order by` clause. */
export const orderOf = (fields: SortFields, sort: readonly SortBy[]): string =>
  sort
    .flatMap(({ field, order }) => {
      const sortField = sortFieldOf(fields, field);
      return expressionsOf(sortField, `"${sortField.column}"`).map((expression) => `${expression} ${order}`);
    })
    .join(', ');

/** Returns the columns of the sort fields for a `select` clause, each under the name of its field. */
export const keysOf = (fields: SortFields, sort: readonly SortBy[]): string =>
  sort.map(({ field }) => `"${sortFieldOf(fields, field).column}" as "${field}"`).join(', ');

/**
 * Returns an SQL condition for the rows that come after a position in the list. `key` contains the values of the sort
 * fields at this position. If all sort directions are the same, the condition is a row comparison, which can use an
 * index. The condition is correct only because sort columns are never null.
 */
export function keysetAfter(fields: SortFields, sort: readonly SortBy[], key: readonly unknown[], parameters: Parameters): string {
  const comparisons = sort.flatMap(({ field, order }, index) => {
    const sortField = sortFieldOf(fields, field);
    const values = expressionsOf(sortField, `${parameters.add(key[index])}::${sortField.type}`);
    return expressionsOf(sortField, `"${sortField.column}"`).map((expression, at) => ({
      expression,
      value: values[at],
      operator: order === SortOrder.ASC ? '>' : '<',
    }));
  });
  const [first] = comparisons;
  if (first && comparisons.every(({ operator }) => operator === first.operator)) {
    const [expressions, values] = [comparisons.map(({ expression }) => expression), comparisons.map(({ value }) => value)];
    return `(${expressions.join(', ')}) ${first.operator} (${values.join(', ')})`;
  }
  const branches = comparisons.map(({ expression, value, operator }, index) => {
    const equal = comparisons.slice(0, index).map((before) => `${before.expression} = ${before.value}`);
    return `(${[...equal, `${expression} ${operator} ${value}`].join(' and ')})`;
  });
  return `(${branches.join(' or ')})`;
}
