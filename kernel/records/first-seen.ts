/** Number of rows that `firstSeen` reads from the beginning of the whole list for each requested row. */
export const LOOKED_AT = 6;

/**
 * Returns the SQL of the first rows of a list, for a caller who is limited to several accounts.
 * First, `seen` selects the beginning of the whole list as rows `s`, and `own` is the SQL condition for rows of the
 * caller. If at least `wanted` rows match `own`, they are the result.
 * Otherwise `merged`, which reads a list for each account, is the result. It is slower, but its cost is limited by the
 * number of accounts. PostgreSQL executes `merged` only if it is needed.
 */
export const firstSeen = (seen: string, own: string, merged: string, wanted: string): string =>
  `with "seen" as materialized (select * from (${seen}) s where ${own})
    select * from "seen" where (select count(*) from "seen") >= ${wanted}
    union all
    select * from (${merged}) m where (select count(*) from "seen") < ${wanted}`;
