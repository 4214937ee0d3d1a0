import { beforeEach, describe, expect, test } from 'vitest';
import type { Accounts } from '../../kernel/access/principal.ts';
import type { Rows } from '../../kernel/database/database.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from '../../subgraphs/billing/invoices/invoice-tallies.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { storeBefore, storeFor } from '../support/domain-world.ts';
import { type BillingProcess, BillingWorld } from './billing-world.ts';
import { INSERT, type InvoiceRow, invoiceCases, pagedInvoices, randomInvoices, STATUSES } from './invoice-model.ts';
import { TallyCheck, whileChanging } from './tally-check.ts';

let world: BillingWorld;
let rows: Rows;

const tallies = (): TallyCheck => new TallyCheck(rows, [INVOICE_TALLY, INVOICE_ACCOUNT_TALLY]);
const until = (condition: () => Promise<boolean>) => expect.poll(condition, { timeout: 30_000, interval: 20 }).toBe(true);
// in the order of the accounts, because each invoice locks the balance of its account
const insert = (invoices: readonly InvoiceRow[], organizationId = world.organizationId): Promise<object[]> =>
  rows.query(INSERT, [JSON.stringify(invoices.toSorted((one, other) => one.account_id.localeCompare(other.account_id))), organizationId]);

/** Changes invoices as processes of any release do. Each value of `turn` selects another change. */
async function change(turn: number): Promise<void> {
  await insert(randomInvoices(1000 + turn, 5, `new_${turn}`));
  // each account by itself, as all code of the platform does, because a change of the status locks the account
  for (let account = 0; account < 6; account += 1)
    await rows.query(
      `update "billing"."invoice" set "status" = ($1::text[])[1 + $2::int % 4], "notes" = $2::text
       where "id" like '%' || $2::int % 10 and "account_id" = $3`,
      [STATUSES, turn, `acc_${account}`],
    );
  await rows.query(
    `update "billing"."invoice" set "account_id" = 'acc_' || $1::int % 6, "created_at" = "created_at" - interval '1 day' where "id" like '%' || $1::int % 100`,
    [turn],
  );
  await rows.query(`delete from "billing"."invoice" where "id" = 'inv_old_' || lpad($1::text, 6, '0')`, [turn]);
}

describe('after an upgrade to the release with invoice tallies', () => {
  beforeEach(async () => {
    const { store, migrate } = await storeBefore(billing, '0004-invoice-tally');
    rows = store.rows;
    world = await BillingWorld.open(store);
    await insert(randomInvoices(1, 2000, 'old'));
    await insert(randomInvoices(2, 500, 'other'), 'org_other');
    await migrate();
  });

  test('the background migration counts each existing invoice once, even if invoices change during the migration', async () => {
    await whileChanging(change, async () => {
      // one after the other, because two concurrent starts in one process could both create the embedded job queue
      await world.start();
      await world.start();
      await tallies().untilCounted();
    });
    await tallies().expectExact();
    await tallies().untilCompacted();
    await tallies().expectExact();
    expect(await world.drift()).toBe('');
  });

  test.runIf(process.env.TEST_DATABASE_URL)(
    'the total of invoices is exact before and after the backfill has counted the existing invoices',
    async () => {
      const held = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = world.store.orm.em.fork().transactional(async (tx) => {
        await tx.execute('select 1 from "billing"."backfill" for update');
        locked.resolve();
        await held.promise;
      });
      await locked.promise;
      const started = await world.start();
      const total = async () => (await started.list({ filter: { status: ['PAID', 'OVERDUE'] }, page: { limit: 1 } })).total;
      const expected = randomInvoices(1, 2000, 'old').filter(({ status }) => ['paid', 'overdue'].includes(status)).length;
      expect(await total()).toBe(expected);
      held.resolve();
      await holding;
      await tallies().untilCounted();
      expect(await total()).toBe(expected);
    },
  );
});

describe('lists and totals of invoices', () => {
  let process: BillingProcess;
  beforeEach(async () => {
    const store = await storeFor(billing);
    rows = store.rows;
    world = await BillingWorld.open(store);
    process = await world.start();
  });

  const stored = async (): Promise<InvoiceRow[]> => {
    const found = await rows.query<InvoiceRow>(
      `select "id", "account_id", "status", "amount"::text, "due_date", "created_at" from "billing"."invoice" where "organization_id" = $1`,
      [world.organizationId],
    );
    // the embedded database returns timestamps as texts
    return found.map((row) => ({ ...row, due_date: new Date(row.due_date), created_at: new Date(row.created_at) }));
  };

  test('random lists of invoices have the records, the order and the total of a plain scan, by page number and by cursor', async () => {
    await insert(randomInvoices(3, 600, 'one'));
    await insert(randomInvoices(4, 300, 'other'), 'org_other');
    const all = await stored();
    for (const { query, accounts, limit, expected } of invoiceCases(5, 100, all)) {
      const name = JSON.stringify({ query, accounts, limit });
      const [byPage, byCursor] = [
        await pagedInvoices(process, query, accounts, limit, 'page'),
        await pagedInvoices(process, query, accounts, limit, 'cursor'),
      ];
      expect(byPage.ids, name).toEqual(expected);
      expect(byCursor.ids, name).toEqual(expected);
      for (const total of [...byPage.totals, ...byCursor.totals]) expect(total, name).toBe(expected.length);
    }
  });

  test('the totals of invoices stay exact while writers change them and two processes compact the tallies', async () => {
    const other = await world.start();
    await insert(randomInvoices(6, 400, 'old'));
    const expectExactTotals = async (): Promise<void> => {
      for (const { query, accounts, expected } of invoiceCases(7, 60, await stored()))
        expect((await process.list({ ...query, page: { limit: 1 } }, accounts)).total, JSON.stringify({ query, accounts })).toBe(
          expected.length,
        );
    };
    await whileChanging(change, async () => {
      const until = performance.now() + 3000;
      while (performance.now() < until) {
        // one statement reads the sums of all states and counts the invoices, so that no writer changes them in between
        const [row] = await rows.query<{ tallied: number; counted: number }>(
          `select (select sum("count") from "billing"."invoice_tally" where "day" = '-infinity')::int as tallied,
             (select count(*) from "billing"."invoice")::int as counted`,
          [],
        );
        expect(row?.tallied).toBe(row?.counted);
        expect((await other.list({ filter: { status: [] } })).total).toBe(0);
        await new Promise(setImmediate);
      }
    });
    await expectExactTotals();
    await tallies().untilCompacted();
    await expectExactTotals();
    await tallies().expectExact();
  });

  test.runIf(globalThis.process.env.TEST_DATABASE_URL)(
    'a compaction that is killed between its steps loses no change, and another process compacts the rows later',
    async () => {
      await process.stop();
      await insert(randomInvoices(8, 100, 'old'));
      const [{ id } = { id: '' }] = await stored();
      // holds a row of the tally, so that the compaction of a process waits in its first step
      const held = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = world.store.orm.em.fork().transactional(async (tx) => {
        await tx.execute(`select 1 from "billing"."invoice_tally" limit 1 for update`);
        locked.resolve();
        await held.promise;
      });
      await locked.promise;
      const next = await world.start();
      const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'with news%' and pid <> pg_backend_pid()`;
      await until(async () => (await rows.query(waiting, [])).length > 0);
      await rows.query(`update "billing"."invoice" set "status" = 'cancelled' where "id" = $1`, [id]);
      expect((await next.list({ page: { limit: 1 } })).total).toBe(100);
      held.resolve();
      await holding;
      await tallies().untilCompacted();
      await tallies().expectExact();
      expect((await next.list({ page: { limit: 1 } })).total).toBe(100);
    },
  );

  test('a caller who is limited to accounts gets no invoices if the filter contains only other accounts', async () => {
    await insert(randomInvoices(9, 50, 'one'));
    const limited: Accounts = ['acc_1'];
    expect(await process.list({ filter: { accountId: ['acc_2'] } }, limited)).toEqual({ ids: [], total: 0, nextCursor: null });
  });
});
