/** How many rows of the whole list are read per wanted row. */
export const LOOKED_AT = 6;

/**
 * SQL of the first rows of a list, for a caller who sees several accounts. `seen` selects the beginning of the list for everybody, as rows
 * `s`; those that meet `own` are kept.
 * If they are fewer than `wanted`, because these accounts have few records, the rows come from `merged`, which reads the list of each
 * account. That is slower, but its cost is bounded by the number of accounts.
 * PostgreSQL executes only the branch that is needed.
 */
export const firstSeen = (seen: string, own: string, merged: string, wanted: string): string =>
  `with "seen" as materialized (select * from (${seen}) s where ${own})
    select * from "seen" where (select count(*) from "seen") >= ${wanted}
    union all
    select * from (${merged}) m where (select count(*) from "seen") < ${wanted}`;
