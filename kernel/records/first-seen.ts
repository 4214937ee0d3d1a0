/** Number of rows that `firstSeen` reads from the beginning of the whole list for each requested row. */
export const LOOKED_AT = 6;

/**
 * Returns the SQL of the first rows of a list, for a caller who is limited to several accounts. `seen` selects the
 * beginning of the whole list; its rows `s` that match the condition `own` are returned.
 * If these rows are fewer than `wanted`, because the accounts have few records, `merged` is used instead, which reads a
 * list for each account. `merged` is slower, but its cost is limited by the number of accounts.
 * PostgreSQL executes only the needed part.
 */
export const firstSeen = (seen: string, own: string, merged: string, wanted: string): string =>
  `with "seen" as materialized (select * from (${seen}) s where ${own})
    select * from "seen" where (select count(*) from "seen") >= ${wanted}
    union all
    select * from (${merged}) m where (select count(*) from "seen") < ${wanted}`;
