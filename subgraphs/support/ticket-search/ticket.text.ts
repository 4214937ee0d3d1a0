import { Backfill, type Position } from '../../../kernel/database/backfill.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';

/** Rows that one batch looks at; those with accents, which are few in most desks, are written. */
const BATCH = 500;

type Key = { organization_id: string; ticket_id: string };

const hasAccents = (column: string): string => `octet_length(${column}::text) <> char_length(${column}::text)`;

/** Converts the texts of tickets from before migration 0011, so that their words are found without accents. */
export const accentsBackfill = (deps: { orm: Orm; log: Logger }): Backfill => new Backfill(deps, 'accents', convertTexts);

async function convertTexts(tx: EntityManager, from: Position): Promise<Position> {
  const rows = await tx.execute<(Key & { accented: boolean })[]>(
    `select "organization_id", "ticket_id", ${hasAccents('"visible"')} or coalesce(${hasAccents('"internal"')}, false) as "accented"
     from "support"."ticket_text" where ("organization_id", "ticket_id") > (?, ?) order by 1, 2 limit ${BATCH}`,
    [...(from ?? ['', ''])],
  );
  let position = from;
  for (const { accented, organization_id: organizationId, ticket_id: id } of rows) {
    // read under its lock: a comment that is being written is waited for, not lost
    if (accented && !(await isLocked(tx, organizationId, id))) return position ?? ['', ''];
    if (accented) await tx.execute(`select "support"."rewrite_ticket_text"(?, ?)`, [organizationId, id]);
    position = [organizationId, id];
  }
  return rows.length < BATCH ? null : position;
}

/** False where somebody else has the row; never waits, so that nobody waits for each other. */
async function isLocked(tx: EntityManager, organizationId: string, id: string): Promise<boolean> {
  const one = `select 1 from "support"."ticket_text" where "organization_id" = ? and "ticket_id" = ?`;
  if ((await tx.execute<object[]>(`${one} for update skip locked`, [organizationId, id])).length > 0) return true;
  // a row that is gone meanwhile needs nothing
  return (await tx.execute<object[]>(one, [organizationId, id])).length === 0;
}
