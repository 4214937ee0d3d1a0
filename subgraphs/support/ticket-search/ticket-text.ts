import { Backfill, type Position } from '../../../kernel/database/backfill.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';

/**
 * Number of rows that one batch of `accentsBackfill` reads. The batch writes only rows with accents, and most
 * organizations have few such rows.
 */
const BATCH = 500;

/**
 * Number of rows that one batch of `textAccountsBackfill` writes, including their index entries. The batch locks the
 * tickets of these rows until it ends.
 */
const WRITTEN = 200;

type Key = { organization_id: string; ticket_id: string };

const hasAccents = (column: string): string => `octet_length(${column}::text) <> char_length(${column}::text)`;

/** Converts the texts of tickets that are older than migration 0011, so that searches ignore accents. */
export const accentsBackfill = (deps: { orm: Orm; log: Logger }): Backfill => new Backfill(deps, 'accents', convertTexts);

async function convertTexts(tx: EntityManager, from: Position): Promise<Position> {
  const rows = await tx.execute<(Key & { accented: boolean })[]>(
    `select "organization_id", "ticket_id", ${hasAccents('"visible"')} or coalesce(${hasAccents('"internal"')}, false) as "accented"
     from "support"."ticket_text" where ("organization_id", "ticket_id") > (?, ?) order by 1, 2 limit ${BATCH}`,
    [...(from ?? ['', ''])],
  );
  let position = from;
  for (const { accented, organization_id: organizationId, ticket_id: id } of rows) {
    // locks the row first, so that the words of a concurrent comment are not lost; if another transaction has locked
    // the row, the batch ends
    if (accented && !(await isLocked(tx, organizationId, id))) return position ?? ['', ''];
    if (accented) await tx.execute(`select "support"."rewrite_ticket_text"(?, ?)`, [organizationId, id]);
    position = [organizationId, id];
  }
  return rows.length < BATCH ? null : position;
}

/**
 * Locks a text row; returns false if another transaction has locked it. The function never waits for a lock, so it
 * cannot cause a deadlock. Returns true for a deleted row.
 */
async function isLocked(tx: EntityManager, organizationId: string, id: string): Promise<boolean> {
  const one = `select 1 from "support"."ticket_text" where "organization_id" = ? and "ticket_id" = ?`;
  if ((await tx.execute<object[]>(`${one} for update skip locked`, [organizationId, id])).length > 0) return true;
  // a row that was deleted since the batch was read needs no conversion
  return (await tx.execute<object[]>(one, [organizationId, id])).length === 0;
}

/** Stores the account of the ticket with texts that are older than migration 0022. */
export const textAccountsBackfill = (deps: { orm: Orm; log: Logger }): Backfill => new Backfill(deps, 'text-accounts', writeAccounts);

async function writeAccounts(tx: EntityManager, from: Position): Promise<Position> {
  // locks the rows of the text and of the ticket, so that a concurrent change of the account is not overwritten; skips
  // rows that another transaction has locked
  const rows = await tx.execute<(Key & { done: boolean })[]>(
    `with batch as materialized (
       select "organization_id", "ticket_id" from "support"."ticket_text" where ("organization_id", "ticket_id") > (?, ?)
       order by 1, 2 limit ${WRITTEN}
     ), held as materialized (
       select x."organization_id", x."ticket_id", x."account_id", t."account_id" as "right" from batch b
         join "support"."ticket_text" x using ("organization_id", "ticket_id")
         join "support"."ticket" t on t."organization_id" = b."organization_id" and t."id" = b."ticket_id"
         for no key update of x skip locked for share of t skip locked
     ), written as (
       update "support"."ticket_text" x set "account_id" = h."right" from held h
         where x."organization_id" = h."organization_id" and x."ticket_id" = h."ticket_id" and h."account_id" is distinct from h."right"
     )
     select b.*, h."ticket_id" is not null as "done" from batch b left join held h using ("organization_id", "ticket_id") order by 1, 2`,
    [...(from ?? ['', ''])],
  );
  const stop = rows.findIndex(({ done }) => !done);
  if (stop < 0 && rows.length < WRITTEN) return null;
  const last = rows.at(stop < 0 ? -1 : stop - 1);
  return stop === 0 || !last ? (from ?? ['', '']) : [last.organization_id, last.ticket_id];
}
