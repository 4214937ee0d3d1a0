/** How many rows of the whole list are looked at for each row that is wanted of some of its accounts. */
export const LOOKED_AT = 6;

/**
 * SQL of the first rows of a list for a caller who sees several accounts. `seen` is the beginning of the list for everybody, as
 * rows `s`, of which those that meet `own` are kept. Where they are fewer than `wanted`, because the accounts have few of the
 * records, the rows come from `merged`, which reads the list of each account: slower, but never slower than their number.
 * PostgreSQL executes only the branch that is needed.
 */
export const firstSeen = (seen: string, own: string, merged: string, wanted: string): string =>
  `with "seen" as materialized (select * from (${seen}) s where ${own})
    select * from "seen" where (select count(*) from "seen") >= ${wanted}
    union all
    select * from (${merged}) m where (select count(*) from "seen") < ${wanted}`;
