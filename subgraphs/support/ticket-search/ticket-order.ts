import { type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { Parameters } from './parameters.ts';
import { SORT_FIELDS, type SortField } from './ticket-sort.ts';

/** Returns the sort field with the name `name`. */
export const sortFieldOf = (name: string): SortField => {
  const found = SORT_FIELDS[name];
  if (!found) throw new Error(`Tickets are not sorted by ${name}.`);
  return found;
};

/** Returns the SQL expressions that order a sort field. `value` is the column of the field or a parameter. */
const expressionsOf = ({ orderedBy }: SortField, value: string): string[] => orderedBy?.(value) ?? [value];

/** Returns the content of the `order by` clause. */
export const orderOf = (sort: readonly SortBy[]): string =>
  sort
    .flatMap(({ field, order }) => {
      const sortField = sortFieldOf(field);
      return expressionsOf(sortField, `"${sortField.column}"`).map((expression) => `${expression} ${order}`);
    })
    .join(', ');

/** Returns the columns of the sort fields for a `select` clause, each under the name of its field. */
export const keysOf = (sort: readonly SortBy[]): string =>
  sort.map(({ field }) => `"${sortFieldOf(field).column}" as "${field}"`).join(', ');

/**
 * Returns an SQL condition for the rows after a key. If all sort directions are the same, the condition is a row
 * comparison, which can use an index. The columns are never null.
 */
export function keysetAfter(sort: readonly SortBy[], key: readonly unknown[], parameters: Parameters): string {
  const comparisons = sort.flatMap(({ field, order }, index) => {
    const sortField = sortFieldOf(field);
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
