import { backfill } from '../database/backfill.ts';
import { cellColumns, countedName, recountName, type Tally, tallyName } from './tally.ts';

/** SQL for the days of the two cells of a row: `-infinity` for all time, and the day (UTC) of its creation. */
const DAYS = `(values (date '-infinity'), (("created_at" at time zone 'UTC')::date)) as d("day")`;

/**
 * Returns the SQL by which a migration creates a tally: its table, and triggers that append the difference that each
 * change makes. The owners and dimensions must not be null. If the tally has a backfill, the SQL registers it. No row is
 * missed: creating the triggers waits for running transactions that write the counted table.
 * Migrations on the main branch contain this SQL, so it must not change.
 */
export function tallyTable(tally: Tally): string[] {
  const { schema, table } = tally;
  const cell = quoted(cellColumns(tally));
  return [
    // transactions only append rows, so they do not wait for each other; `Counters` compacts the rows into sums
    `create table ${tallyName(tally)} (
       ${cellColumns(tally)
         .map((column) => `"${column}" ${column === 'day' ? 'date' : 'text'} not null`)
         .join(', ')},
       "count" int not null,
       "folded" boolean not null default false
     ) with (autovacuum_vacuum_scale_factor = 0.05)`,
    // the index includes the count, so that the sum of thousands of cells is read from the index alone
    `create index "${table}_cell_index" on ${tallyName(tally)} (${cell}) include ("count")`,
    `create index "${table}_unfolded_index" on ${tallyName(tally)} ("organization_id") where not "folded"`,
    ...triggers(tally),
    ...(tally.backfill ? [recountFunction(tally), ...backfill(schema, tally.backfill, `exists (select from ${countedName(tally)})`)] : []),
  ];
}

function triggers(tally: Tally): string[] {
  const { schema, table, owners, dimensions } = tally;
  const counted = countedName(tally);
  const cell = quoted(cellColumns(tally));
  const compared = ['organization_id', ...owners, ...dimensions, 'created_at'];
  const append = `insert into ${tallyName(tally)} (${cell}, "count")`;
  const isChanged = `(${quoted(compared, 'old')}) is distinct from (${quoted(compared, 'new')})`;
  return [
    triggerFunction(
      `"${schema}"."${table}_added"`,
      `${append} select ${cell}, count(*) from added cross join lateral ${DAYS} group by ${cell}`,
    ),
    triggerFunction(
      `"${schema}"."${table}_removed"`,
      `${append} select ${cell}, -count(*) from removed cross join lateral ${DAYS} group by ${cell}`,
    ),
    triggerFunction(
      `"${schema}"."${table}_changed"`,
      `${append} select ${cell}, "count" from (
         select ${quoted(compared, 'old')}, -1 as "count" union all select ${quoted(compared, 'new')}, 1
       ) r(${quoted(compared)}, "count") cross join lateral ${DAYS}`,
    ),
    `create trigger "${table}_added" after insert on ${counted} referencing new table as added
       for each statement execute function "${schema}"."${table}_added"()`,
    `create trigger "${table}_removed" after delete on ${counted} referencing old table as removed
       for each statement execute function "${schema}"."${table}_removed"()`,
    `create trigger "${table}_changed" after update on ${counted} for each row when (${isChanged})
       execute function "${schema}"."${table}_changed"()`,
  ];
}

const triggerFunction = (name: string, statement: string): string =>
  `create function ${name}() returns trigger language plpgsql as $$ begin
     ${statement};
     return null;
   end $$`;

/**
 * Returns the SQL of the function that counts the rows of an organization. The function is a single statement, so it
 * reads rows and counts in the same snapshot. It replaces the counts of this snapshot, and keeps counts that are added
 * later. The function blocks no other transaction, but the tally must not be compacted while it runs.
 */
function recountFunction(tally: Tally): string {
  const cell = quoted(cellColumns(tally));
  return `create function ${recountName(tally)}("organization" text) returns void language sql as $$
     with gone as (delete from ${tallyName(tally)} where "organization_id" = $1)
     insert into ${tallyName(tally)} (${cell}, "count", "folded")
       select ${cell}, count(*), true from ${countedName(tally)} cross join lateral ${DAYS}
       where "organization_id" = $1 group by ${cell} order by ${cell} $$`;
}

const quoted = (columns: readonly string[], row?: string): string =>
  columns.map((column) => (row ? `${row}."${column}"` : `"${column}"`)).join(', ');
