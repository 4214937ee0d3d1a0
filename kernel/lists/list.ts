import type { SortBy } from '../graphql/page.ts';
import type { Parameters } from './parameters.ts';
import type { ColumnValues, RowFilter } from './row-filter.ts';
import type { SortFields } from './sort-fields.ts';

/**
 * Declares how the lists of a table are read: their sort fields and the indexes that contain them in order. The table must have the columns
 * `organization_id`, `created_at` and `id`.
 */
export interface ListTable {
  /** Quoted name with its schema, such as `"support"."ticket"`. */
  name: string;
  fields: SortFields;
  /**
   * Returns the sets of range columns by which a list may be split, best first. For each set there is an index of the
   * organization, these columns, `created_at` and `id`. `states` are the sort fields before `createdAt`, if any; each of
   * them has a `rank`. An empty set means that PostgreSQL's planner should choose the index.
   */
  rangeColumns(values: ColumnValues, states: readonly SortBy[]): readonly (readonly RangeColumn[])[];
}

/**
 * An index column by which a list is split into ranges, and the values of this column that rows in the list can have.
 */
export interface RangeColumn {
  column: string;
  type: 'text' | 'int';
  /** Values that the column can have, each listed once. */
  values: readonly (string | number)[];
  /** The column of the filter that the ranges replace. */
  filtered: string;
}

/** Creates the range column of a text column, with each of the values once. */
export const rangeColumn = (column: string, values: readonly string[]): RangeColumn => ({
  column,
  type: 'text',
  values: [...new Set(values)],
  filtered: column,
});

/** A list of rows of one table. Its last sort field must be unique. */
export interface List {
  table: ListTable;
  filter: RowFilter;
  sort: readonly SortBy[];
  /**
   * Returns SQL that selects the rows, if an index of the table cannot find them, such as the hits of a search. Default:
   * the rows of the table that match the filter.
   */
  source?: ((parameters: Parameters) => string) | undefined;
}
