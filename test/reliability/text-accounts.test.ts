import { beforeEach, expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { storeBefore } from '../support/domain-world.ts';
import { SupportWorld } from './support-world.ts';

const ACCOUNTS = [null, 'acc_1', 'acc_2'];

let world: SupportWorld;
let rows: Rows;

/** Creates a support database with the schema before the migration 0022-text-accounts, adds tickets, and then migrates it. */
beforeEach(async () => {
  const { store, migrate } = await storeBefore(support, '0022-text-accounts');
  rows = store.rows;
  world = await SupportWorld.open(store);
  await open('ticket_old', 1100);
  await migrate();
});

const open = (name: string, count: number): Promise<object[]> =>
  rows.query(
    `insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "status", "priority", "urgency", "category",
       "metadata", "agent_id", "account_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
     select $1 || n, $3, $1 || n, 'Modem', 'It is dark', 'open', 'low', 1, 'general', '{}', 'agent_1', ($4::text[])[1 + n % 3],
       now(), now(), '{}', now(), now(), now()
     from generate_series(1, $2::int) n`,
    [name, count, world.organizationId, ACCOUNTS],
  );

/** Returns the tickets without a search text, or with a search text for another account. */
const wrong = () =>
  rows.query(
    `select t."id" from "support"."ticket" t left join "support"."ticket_text" x on x."ticket_id" = t."id"
     where x."ticket_id" is null or x."account_id" is distinct from t."account_id"`,
    [],
  );
const isDone = async () => (await rows.query(`select from "support"."backfill" where "name" = 'text-accounts'`, [])).length === 0;
const until = (condition: () => Promise<boolean>) => expect.poll(condition, { timeout: 30_000, interval: 20 }).toBe(true);

test('search texts without an account receive the account of their ticket in the background, also during concurrent changes', async () => {
  expect((await wrong()).length).toBeGreaterThan(700);
  let isOver = false;
  const writers = [0, 1].map(async (writer) => {
    for (let turn = writer; !isOver; turn += 2) {
      await open(`ticket_new_${turn}_`, 5);
      await rows.query(
        `update "support"."ticket" set "account_id" = ($2::text[])[1 + $1::int % 3] where "id" in ('ticket_old' || $1::int * 2, 'ticket_new_' || $1::int || '_1')`,
        [turn, ACCOUNTS],
      );
      await rows.query(`delete from "support"."ticket" where "id" = 'ticket_old' || $1::int`, [turn]);
      // the embedded database responds without yielding to the event loop
      await new Promise(setImmediate);
    }
  });
  await world.start();
  await world.start();
  await until(isDone);
  isOver = true;
  await Promise.all(writers);
  expect(await wrong()).toEqual([]);
  // a process of the previous release does not set the account of the text; a database trigger does
  await rows.query(`update "support"."ticket" set "account_id" = 'acc_3' where "id" = 'ticket_old1000'`, []);
  await open('ticket_late', 3);
  expect(await wrong()).toEqual([]);
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'while search texts are still being migrated, a caller with access to some accounts finds all its tickets by words',
  async () => {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    // locks one ticket, so that only the batch with this ticket waits
    const holding = world.store.orm.em.fork().transactional(async (tx) => {
      await tx.execute(`select 1 from "support"."ticket" where "id" = 'ticket_old1' for update`);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const started = await world.start();
    const total = async (...accounts: string[]): Promise<number> =>
      (await started.graphql('{ tickets(filter: { q: "modem" }, page: { limit: 1 }) { pageInfo { total } } }', {}, accounts)).tickets
        .pageInfo.total;
    const totals = async () => [await total('acc_1'), await total('acc_2'), await total('acc_1', 'acc_2')];
    expect(await totals()).toEqual([367, 367, 734]);
    expect(await isDone()).toBe(false);
    held.resolve();
    await holding;
    await until(isDone);
    expect(await totals()).toEqual([367, 367, 734]);
  },
);
