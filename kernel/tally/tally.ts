import type { RowFilter } from '../lists/row-filter.ts';

/**
 * Declares a tally: a table with the number of rows that another table has of each kind. Each row is counted in two
 * cells: one for all time, and one for the day (UTC) of its creation. A cell is a combination of values with one count.
 */
export interface Tally {
  schema: string;
  /** Name of the table with the counts. */
  table: string;
  /** Name of the table whose rows are counted. It has the columns `organization_id` and `created_at`. */
  of: string;
  /**
   * Columns that name the owner of a row, such as its account. Without owners, the table has few rows, from which the
   * totals of the organization are read.
   */
  owners: readonly string[];
  /** The other columns by which rows are counted. Each has few values, such as the status. */
  dimensions: readonly string[];
  /**
   * Name of the backfill that counts the rows that existed before the tally. Absent if the counted table was empty when
   * the tally was created.
   */
  backfill?: string;
}

/** Returns the quoted name of the table with the counts. */
export const tallyName = ({ schema, table }: Tally): string => `"${schema}"."${table}"`;

/** Returns the quoted name of the table whose rows are counted. */
export const countedName = ({ schema, of }: Tally): string => `"${schema}"."${of}"`;

/** Returns the quoted name of the function that counts the existing rows of an organization. */
export const recountName = ({ schema, backfill }: Tally): string => `"${schema}"."recount_${backfill?.replaceAll('-', '_')}"`;

/** Returns the columns that identify a cell, in the order of the index. */
export const cellColumns = ({ owners, dimensions }: Tally): string[] => ['organization_id', ...owners, 'day', ...dimensions];

/**
 * Returns whether the tally counts the rows that match the filter. It must have all columns of the filter. A tally with
 * owners may leave out rows without an owner, so the filter must name owners.
 */
export const canCount = ({ owners, dimensions }: Tally, { values }: RowFilter): boolean =>
  (owners.length === 0 || owners.some((column) => values[column])) &&
  Object.entries(values).every(([column, allowed]) => !allowed || owners.includes(column) || dimensions.includes(column));
