/** Number of rows that the query `seen` of `firstSeen` should read for each requested row. */
export const LOOKED_AT = 6;

/**
 * Returns SQL for the first rows of a list, for a caller who is limited to several accounts.
 * The query `seen` reads the beginning of the list of all accounts, as rows `s`. The SQL condition `own` selects the
 * rows of the caller from them. If at least `wanted` rows remain, they are the result.
 * Otherwise, the result is the query `merged`, which reads a list for each account. It is slower, but its cost is
 * limited by the number of accounts. PostgreSQL executes `merged` only if it is needed.
 * The result may have more than `wanted` rows and is not sorted, so the surrounding statement sorts and limits it.
 */
export const firstSeen = (seen: string, own: string, merged: string, wanted: string): string =>
  `with "seen" as materialized (select * from (${seen}) s where ${own})
    select * from "seen" where (select count(*) from "seen") >= ${wanted}
    union all
    select * from (${merged}) m where (select count(*) from "seen") < ${wanted}`;
