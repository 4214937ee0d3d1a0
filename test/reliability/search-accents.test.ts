import { expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { storeBefore } from '../support/domain-world.ts';
import { type SupportProcess, SupportWorld } from './support-world.ts';

const onServer = process.env.TEST_DATABASE_URL !== undefined;

/** Creates a support database with the schema before the migration 0011-accents, adds tickets, and then migrates it. */
async function upgradedDesk(): Promise<{ world: SupportWorld; rows: Rows }> {
  const { store, migrate } = await storeBefore(support, '0011-accents');
  const { rows } = store;
  const world = await SupportWorld.open(store);
  organizationId = world.organizationId;
  const open = (id: string, title: string, description: string) => insertTicket(rows, id, title, description);
  await open('ticket_accented', 'Café fermé', 'Le réseau est lent');
  await open('ticket_plain', 'The cafe is closed', 'The network is slow');
  await open('ticket_other', 'Übung', 'More than one batch of them');
  await rows.query(
    `insert into "support"."ticket" select (jsonb_populate_record(t, jsonb_build_object('id', copies.id, 'number', copies.id))).*
     from "support"."ticket" t, (select 'ticket_other' || n as id from generate_series(1, 700) n) copies where t."id" = 'ticket_other'`,
    [],
  );
  await comment(rows, 'ticket_accented', 'customer', 'Encore fermé, hélas');
  await comment(rows, 'ticket_accented', 'internal', 'Le zèbre a mangé le câble');
  await comment(rows, 'ticket_accented', 'customer', 'Voilà');
  // the next release migrates first; the open database object still uses the old schema
  await migrate();
  return { world, rows };
}

let organizationId = '';
let comments = 0;

const insertTicket = (rows: Rows, id: string, title: string, description: string): Promise<object[]> =>
  rows.query(
    `insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "status", "priority", "urgency", "category",
       "metadata", "agent_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
     values ($1, $2, $1, $3, $4, 'open', 'low', 1, 'general', '{}', 'agent_1', now(), now(), '{}', now(), now(), now())`,
    [id, organizationId, title, description],
  );
const comment = (rows: Rows, ticketId: string, visibility: string, content: string): Promise<object[]> =>
  rows.query(`insert into "support"."comment" select (jsonb_populate_record(null::"support"."comment", $1::text::jsonb)).*`, [
    JSON.stringify({
      id: `comment_${++comments}`,
      organization_id: organizationId,
      ticket_id: ticketId,
      visibility,
      content,
      type: 'reply',
      author: {},
      metadata: {},
      created_at: new Date(Date.UTC(2026, 0, 1, 0, comments)).toISOString(),
    }),
  ]);

const textsOf = (rows: Rows) => rows.query('select * from "support"."ticket_text" order by "ticket_id"', []);
const find = async (rows: Rows, text: string, q: string, config = 'support.words'): Promise<string[]> => {
  const query = `websearch_to_tsquery('${config}', $1)`;
  const found = await rows.query<{ id: string }>(
    `select "ticket_id" as id from "support"."ticket_text" where "${text}" @@ ${query} and "ticket_id" not like '%other%' order by 1`,
    [q],
  );
  return found.map(({ id }) => id);
};
const search = async (process: SupportProcess, q: string): Promise<string[]> => {
  const { tickets } = await process.graphql('query ($q: String) { tickets(filter: { q: $q }, page: { limit: 50 }) { nodes { id } } }', {
    q,
  });
  return tickets.nodes.map(({ id }: { id: string }) => id).sort();
};

const unconverted = (rows: Rows) => rows.query(`select from "support"."backfill" where "name" = 'accents'`, []);

async function untilConverted(rows: Rows): Promise<void> {
  await expect.poll(() => unconverted(rows), { timeout: 30_000, interval: 20 }).toEqual([]);
}

test('search texts that were stored before the accent migration are converted in the background and are then found without accents', async () => {
  const { world, rows } = await upgradedDesk();
  expect(await find(rows, 'visible', 'cafe')).toEqual(['ticket_plain']);
  const process = await world.start();
  await untilConverted(rows);
  for (const q of ['cafe', 'CAFÉ', 'café'.normalize('NFD')])
    expect(await search(process, q), q).toEqual(['ticket_accented', 'ticket_plain']);
  expect(await search(process, '"encore ferme helas"')).toEqual(['ticket_accented']);
  expect(await search(process, 'zebre cable')).toEqual(['ticket_accented']);
  expect(await find(rows, 'visible', 'zebre')).toEqual([]);

  // compare with the texts that the database triggers write for new records
  const converted = await textsOf(rows);
  await rows.query('delete from "support"."ticket_text"', []);
  await rows.query(
    `insert into "support"."ticket_text" select "organization_id", "id", "support"."text_of_ticket"("title", "description") from "support"."ticket"`,
    [],
  );
  const stored = await rows.query<object>('delete from "support"."comment" returning *', []);
  for (const one of stored)
    await rows.query(`insert into "support"."comment" select (jsonb_populate_record(null::"support"."comment", $1::text::jsonb)).*`, [
      JSON.stringify(one),
    ]);
  expect(await textsOf(rows)).toEqual(converted);
});

test('a process of the previous release finds accented words in texts that the current release wrote', async () => {
  const { world, rows } = await upgradedDesk();
  await world.start();
  await untilConverted(rows);
  await insertTicket(rows, 'ticket_new', 'Crème brûlée', 'Tout va bien');
  await comment(rows, 'ticket_new', 'customer', 'Déjà vu');
  const old = (q: string) => find(rows, 'visible', q, 'pg_catalog.english');
  expect(await old('crème déjà')).toEqual(['ticket_new']);
  expect(await old('café')).toEqual(['ticket_accented']);
});

test.runIf(onServer)(
  'a search finds a locked text only by its accented words, until the lock ends and the text is indexed without accents',
  async () => {
    const { world, rows } = await upgradedDesk();
    let commit: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isLocked: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const writing = world.store.orm.em.fork().transactional(async (tx) => {
      await tx.execute(`select 1 from "support"."ticket_text" where "ticket_id" = 'ticket_accented' for update`);
      isLocked();
      await held;
    });
    await locked;
    const process = await world.start();
    expect(await search(process, 'café')).toEqual(['ticket_accented', 'ticket_plain']);
    expect(await search(process, 'ferme')).toEqual([]);
    expect(await unconverted(rows)).toHaveLength(1);
    commit();
    await writing;
    await untilConverted(rows);
    expect(await search(process, 'ferme')).toEqual(['ticket_accented']);
  },
);
