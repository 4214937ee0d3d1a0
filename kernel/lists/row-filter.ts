import type { Parameters } from './parameters.ts';

/**
 * Allowed values by column. Null or undefined means that all values are allowed. An empty list means that no row
 * matches.
 */
export type ColumnValues = Readonly<Record<string, readonly string[] | null | undefined>>;

/** Conditions of a list and of its total. A row must meet all of them. */
export interface RowFilter {
  organizationId: string;
  values: ColumnValues;
  /** Earliest creation time of the rows (inclusive). */
  createdAfter?: Date | null;
  /** Time before which the rows were created (exclusive). */
  createdBefore?: Date | null;
}

/** Returns the ids that are in both lists. Null or undefined means a list of all ids. */
export const bothOf = (
  one: readonly string[] | null | undefined,
  other: readonly string[] | null | undefined,
): readonly string[] | null | undefined => (one && other ? one.filter((id) => other.includes(id)) : (one ?? other));

/** Returns the SQL conditions of a filter. In these conditions, `t` is the row. */
export const conditionsOf = (filter: RowFilter, parameters: Parameters): string[] => [
  `t."organization_id" = ${parameters.add(filter.organizationId)}`,
  ...criteriaOf(filter, parameters),
];

/** Returns the SQL conditions of a filter, except for the organization. In these conditions, `t` is the row. */
export const criteriaOf = (
  { values, createdAfter, createdBefore }: Omit<RowFilter, 'organizationId'>,
  parameters: Parameters,
): string[] => [
  ...Object.entries(values).flatMap(([column, allowed]) => (allowed ? [isOneOf('t', column, allowed, parameters)] : [])),
  ...(createdAfter ? [`t."created_at" >= ${parameters.add(createdAfter)}::timestamptz`] : []),
  ...(createdBefore ? [`t."created_at" < ${parameters.add(createdBefore)}::timestamptz`] : []),
];

/**
 * Returns an SQL condition that a column has one of the values. Uses `=` for a single value, so that PostgreSQL can
 * read the rows in the order of an index.
 */
export const isOneOf = (row: string, column: string, values: readonly string[], parameters: Parameters): string =>
  values.length === 1 ? `${row}."${column}" = ${parameters.add(values[0])}` : `${row}."${column}" = any(${parameters.add(values)}::text[])`;
