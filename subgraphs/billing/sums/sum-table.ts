import { backfill } from '../../../kernel/database/backfill.ts';

/**
 * Declares a table of sums, from which reports read instead of reading invoices. A cell is one combination of column values, such as an
 * account and a month, with its sums. Triggers append a row with the difference for each change, in the transaction of the change. So
 * transactions do not wait for each other. `Sums` compacts the appended rows of a cell into one row.
 */
export interface SumTable {
  table: string;
  /** Columns that identify a cell. The first is `organization_id`. In the column `account_id`, an empty text means all accounts. */
  cell: readonly string[];
  /** Columns with amounts or counts, which are added. */
  sums: readonly string[];
  /** Name of the backfill that adds older data to the sums. Undefined if no older data existed. */
  backfill?: string;
}

/** Returns the quoted name of the table with the sums. */
export const sumTableName = ({ table }: SumTable): string => `"billing"."${table}"`;

/** Returns the quoted name of the database function that computes all sums of an organization again. */
export const recountName = ({ table }: SumTable): string => `"billing"."recount_${table}"`;

const DATES = ['day', 'month'];

/** Returns the SQL with which a migration creates a table of sums. Migrations contain this SQL, so it must not change. */
export const sumTable = (sums: SumTable): string[] => [
  `create table ${sumTableName(sums)} (
     ${sums.cell.map((column) => `"${column}" ${DATES.includes(column) ? 'date' : 'text'} not null`).join(', ')},
     ${sums.sums.map((column) => `"${column}" numeric(24,4) not null default 0`).join(', ')},
     "folded" boolean not null default false
   ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create index "${sums.table}_cell_index" on ${sumTableName(sums)} (${sums.cell.map((column) => `"${column}"`).join(', ')})`,
  `create index "${sums.table}_unfolded_index" on ${sumTableName(sums)} ("organization_id") where not "folded"`,
];

/**
 * Returns the SQL with which a migration registers the backfill of a table of sums. `select` returns the cells and sums of the organization
 * `$1` from the records. One statement deletes the existing sums and inserts the computed sums. Both parts see the same snapshot, so sums
 * that other transactions append in the meantime are kept.
 */
export const recount = (sums: SumTable, select: string, where: string): string[] => [
  `create function ${recountName(sums)}("organization" text) returns void language sql as $$
     with gone as (delete from ${sumTableName(sums)} where "organization_id" = $1)
     insert into ${sumTableName(sums)} (${[...sums.cell, ...sums.sums].map((column) => `"${column}"`).join(', ')}, "folded")
     ${select} $$`,
  ...backfill('billing', sums.backfill ?? sums.table, where),
];
