import { Backfill, type Position } from '../database/backfill.ts';
import type { EntityManager, Orm } from '../database/database.ts';
import type { Logger } from '../log/log.ts';
import { countedName, recountName, type Tally } from './tally.ts';

/** Creates the backfill that counts rows that are older than the tally, one organization at a time. */
export const tallyBackfill = (deps: { orm: Orm; log: Logger }, tally: Tally, name: string): Backfill =>
  new Backfill(deps, name, (tx, from) => recount(tx, tally, from));

/**
 * Counts the rows of the next organization after `from`. Returns the position of this organization, or null after the
 * last organization.
 */
async function recount(tx: EntityManager, tally: Tally, from: Position): Promise<Position> {
  const [next] = await tx.execute<{ organization_id: string }[]>(
    `select "organization_id" from ${countedName(tally)} where "organization_id" > ? order by 1 limit 1`,
    [from?.[0] ?? ''],
  );
  if (!next) return null;
  // turns off the timeout of statements, because counting the rows may take longer
  await tx.execute('set local statement_timeout = 0');
  await tx.execute(`select ${recountName(tally)}(?)`, [next.organization_id]);
  return [next.organization_id];
}
