import { beforeEach, expect, test } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { storeBefore } from '../support/domain-world.ts';
import { SupportWorld } from './support-world.ts';
import { whileChanging } from './tally-check.ts';

const ACCOUNTS = [null, 'acc_1', 'acc_2', 'acc_3'];

let world: SupportWorld;
let rows: Rows;

/** Creates a support database with the schema before the migration 0018-account-tally, adds tickets, and then migrates it. */
beforeEach(async () => {
  const { store, migrate } = await storeBefore(support, '0018-account-tally');
  rows = store.rows;
  world = await SupportWorld.open(store);
  await open('old', 3000);
  await migrate();
});

/** Creates tickets of two organizations on several days. A ticket has an account, a customer, both or neither. */
const open = (name: string, count: number): Promise<object[]> =>
  rows.query(
    `insert into "support"."ticket" ("id", "organization_id", "number", "title", "description", "status", "priority", "urgency", "category",
       "metadata", "agent_id", "account_id", "customer_id", "response_due", "resolution_due", "sla_terms", "resolution_since", "created_at", "updated_at")
     select $1 || n, case when n % 3 = 0 then $3 else 'org_other' end, $1 || n, 'x', 'x', 'open', 'low', 1, 'general', '{}', 'agent_' || n % 2,
       ($4::text[])[1 + n % 4], case when n % 5 > 1 then 'cust_' || n % 4 end,
       now(), now(), '{}', now(), now() - (n % 7) * interval '1 day', now()
     from generate_series(1, $2::int) n`,
    [name, count, world.organizationId, ACCOUNTS],
  );

const KIND = '"status", "priority", "category", "agent_id"';
const CELL = `"organization_id", "account_id", "customer_id", "day", ${KIND}`;
const tallied = () =>
  rows.query(
    `select ${CELL}, sum("count")::int as "count" from "support"."ticket_account_tally" group by ${CELL} having sum("count") <> 0 order by ${CELL}`,
    [],
  );
/** Returns the expected counters, computed from the tickets. */
const counted = () =>
  rows.query(
    `select "organization_id", coalesce("account_id", '') as "account_id", coalesce("customer_id", '') as "customer_id", d."day", ${KIND},
       count(*)::int as "count"
     from "support"."ticket" cross join lateral (values (date '-infinity'), (("created_at" at time zone 'UTC')::date)) as d("day")
     where "account_id" is not null or "customer_id" is not null group by 1, 2, 3, 4, ${KIND} order by 1, 2, 3, 4, ${KIND}`,
    [],
  );
const isCounted = async () => (await rows.query(`select from "support"."backfill" where "name" = 'account-tally'`, [])).length === 0;
const isFolded = async () => (await rows.query('select from "support"."ticket_account_tally" where not "folded" limit 1', [])).length === 0;
const until = (condition: () => Promise<boolean>) => expect.poll(condition, { timeout: 30_000, interval: 20 }).toBe(true);

test('the background migration of the account counters counts each existing ticket once, even if tickets change meanwhile', async () => {
  const change = async (turn: number): Promise<void> => {
    await open(`new_${turn}_`, 7);
    await rows.query(
      `update "support"."ticket" set "status" = (array['open', 'in_progress', 'resolved'])[1 + $1::int % 3] where "id" like '%' || $1::int % 10`,
      [turn],
    );
    await rows.query(`delete from "support"."ticket" where "id" = 'old' || $1::int`, [turn]);
  };
  await whileChanging(change, async () => {
    // one after the other, because two concurrent starts in one process could both create the embedded job queue
    await world.start();
    await world.start();
    await until(isCounted);
  });
  expect(await tallied()).toEqual(await counted());
  await until(isFolded);
  expect(await tallied()).toEqual(await counted());
  expect((await counted()).length).toBeGreaterThan(50);
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'the total of tickets filtered by customers is correct before and after the backfill has counted the existing tickets',
  async () => {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = world.store.orm.em.fork().transactional(async (tx) => {
      await tx.execute(`select 1 from "support"."backfill" where "name" = 'account-tally' for update`);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const started = await world.start();
    const total = async (): Promise<number> => {
      const query = '{ tickets(filter: { customerId: ["cust_2", "cust_3"] }, page: { limit: 1 }) { pageInfo { total } } }';
      return (await started.graphql(query)).tickets.pageInfo.total;
    };
    const [expected] = await rows.query<{ count: number }>(
      `select count(*)::int as "count" from "support"."ticket" where "organization_id" = $1 and "customer_id" in ('cust_2', 'cust_3')`,
      [world.organizationId],
    );
    expect(expected?.count).toBeGreaterThan(10);
    expect(await total()).toBe(expected?.count);
    expect(await isCounted()).toBe(false);
    held.resolve();
    await holding;
    await until(isCounted);
    expect(await total()).toBe(expected?.count);
  },
);
