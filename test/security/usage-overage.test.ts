import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Plan } from '../../kernel/access/principal.ts';
import type { RunningIdentity } from '../../subgraphs/identity/subgraph.ts';
import { recordPlan } from '../../subgraphs/identity/usage/plan-days.ts';
import type { Json } from '../tenant.ts';
import { createIdentityRig, type IdentityRig } from './identity-rig.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The number of requests per month that the developer plan includes (specification 8.1). */
const INCLUDED = 50_000;

let rig: IdentityRig;
let identity: RunningIdentity;
let organizationId: string;
beforeAll(async () => {
  rig = await createIdentityRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
  // the middle of a month, so that all hours of the test are in one month
  const now = rig.clock.now();
  rig.clock.set(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12)));
  identity = rig.startProcess();
  organizationId = await organization();
});

async function organization(plan: Plan = 'developer'): Promise<string> {
  return (await identity.createOrganization({ name: 'Test', plan })).organization.id;
}

async function use(requests: number, { by = identity, of = organizationId } = {}): Promise<void> {
  by.core.usage.count(of, { requests, weight: requests }, rig.clock.now());
  await by.core.usage.flush();
}

const report = (by = identity) => by.core.overages.report();
const sql = <R extends object>(text: string, values: unknown[] = []) => rig.orm.em.getConnection().execute<R[]>(text, values);

/** The usage reported by events, oldest first. */
async function reported(of = organizationId): Promise<Json[]> {
  const rows = await sql<{ payload: string }>(
    `select "payload" from "identity"."outbox" where "organization_id" = ? and "event" = 'usage.overage' order by "sequence"`,
    [of],
  );
  return rows.map(({ payload }) => JSON.parse(payload).data.usage);
}

async function counted(of = organizationId): Promise<number> {
  const [row] = await sql<{ requests: string }>('select "requests" from "identity"."usage_month_counter" where "organization_id" = ?', [
    of,
  ]);
  return Number(row?.requests ?? 0);
}

test('usage within the monthly quota creates no usage.overage event, and the first request beyond the quota creates one', async () => {
  await use(INCLUDED);
  await report();
  expect(await reported()).toEqual([]);
  await use(1);
  await report();
  const month = rig.clock.now().toISOString().slice(0, 7);
  expect(await reported()).toEqual([
    {
      metric: 'api_requests',
      period_start: `${month}-01T00:00:00.000Z`,
      period_end: expect.stringMatching(/-01T00:00:00\.000Z$/),
      quantity: 1,
      unit_price: '0.001',
      currency: 'USD',
      included: INCLUDED,
      overage: 1,
    },
  ]);
});

test('a usage.overage event is created at most once an hour and covers only usage since the previous event', async () => {
  await use(INCLUDED + 10);
  await report();
  await use(5);
  await report();
  rig.clock.advance(HOUR_MS - 60_000);
  await report();
  expect(await reported()).toHaveLength(1);
  rig.clock.advance(60_000);
  await use(2);
  await report();
  rig.clock.advance(HOUR_MS);
  await report();
  expect((await reported()).map(({ quantity, overage }) => [quantity, overage])).toEqual([
    [10, 10],
    [7, 17],
  ]);
});

test('concurrent overage reports of two processes create one usage.overage event', async () => {
  const other = rig.startProcess();
  await use(INCLUDED + 10);
  await Promise.all([report(), report(other), report(), report(other)]);
  expect(await reported()).toHaveLength(1);
});

test('an overage report that fails creates no event, and the next report covers the same usage', async () => {
  await use(INCLUDED + 10);
  await sql('alter table "identity"."outbox" rename to "outbox_away"');
  await expect(report()).rejects.toThrow();
  await sql('alter table "identity"."outbox_away" rename to "outbox"');
  expect(await reported()).toEqual([]);
  await report();
  expect((await reported()).map(({ quantity }) => quantity)).toEqual([10]);
});

test('usage that is stored after the end of its month is reported for that month', async () => {
  const lastOfMonth = new Date(Date.UTC(rig.clock.now().getUTCFullYear(), rig.clock.now().getUTCMonth() + 1, 1) - 1000);
  rig.clock.set(lastOfMonth);
  identity.core.usage.count(organizationId, { requests: INCLUDED + 3, weight: 0 }, lastOfMonth);
  rig.clock.advance(2 * DAY_MS);
  await use(20);
  await report();
  const [usage, ...others] = await reported();
  expect(usage).toMatchObject({ quantity: 3, period_start: `${lastOfMonth.toISOString().slice(0, 7)}-01T00:00:00.000Z` });
  expect(others).toEqual([]);
});

test('a plan without a quota has no overage, and an upgrade creates no further usage.overage event', async () => {
  const custom = await organization('custom');
  await use(1e9, { of: custom });
  await use(INCLUDED + 10);
  await report();
  await sql(`update "identity"."organization" set "plan" = 'business' where "id" = ?`, [organizationId]);
  rig.clock.advance(HOUR_MS);
  await use(100);
  await report();
  expect(await reported(custom)).toEqual([]);
  expect((await reported()).map(({ quantity }) => quantity)).toEqual([10]);
});

test('after a plan change, the quota is averaged over the days, and each extra request has the price of the plan on its day', async () => {
  const day = (date: number): Date => new Date(Date.UTC(rig.clock.now().getUTCFullYear(), rig.clock.now().getUTCMonth() + 1, date, 12));
  const [tenth, twentieth] = [day(10), day(20)];
  const days = new Date(Date.UTC(tenth.getUTCFullYear(), tenth.getUTCMonth() + 1, 0)).getUTCDate();
  rig.clock.set(tenth);
  await use(300_000);
  await rig.orm.em.fork().transactional(async (tx) => {
    await recordPlan(tx, organizationId, { before: 'business', plan: 'developer' }, twentieth);
    await tx.execute(`update "identity"."organization" set "plan" = 'developer' where "id" = ?`, [organizationId]);
  });
  rig.clock.set(twentieth);
  await use(70_000);
  // 19 days on the business plan, the remaining days on the developer plan
  const included = Math.floor((19 * 500_000 + (days - 19) * 50_000) / days);
  const overage = 370_000 - included;
  await report();
  const parts = (await reported()).map(({ quantity, unit_price, included: of }) => [unit_price, quantity, of]);
  expect(parts).toEqual(
    overage > 70_000
      ? [
          ['0.001', 70_000, included],
          ['0.0008', overage - 70_000, included],
        ]
      : [['0.001', overage, included]],
  );
  rig.clock.advance(HOUR_MS);
  await use(5);
  await report();
  expect((await reported()).at(-1)).toMatchObject({ quantity: 5, unit_price: '0.001', overage: overage + 5 });
});

describe('overage of an organization with an account at the operator', () => {
  /** The charges for an account in the events of the operator's organization, oldest first. */
  async function charged(of = organizationId): Promise<Json[]> {
    const rows = await sql<{ payload: string }>(
      `select o."payload" from "identity"."outbox" o join "identity"."organization" p on p."id" = o."organization_id" and p."operator"
       where o."event" = 'overage.recorded' and o."subject_id" = ? order by o."sequence"`,
      [of],
    );
    return rows.map(({ payload }) => JSON.parse(payload).data);
  }

  beforeAll(async () => {
    const { organization: operator } = await identity.createOrganization({ name: 'Operator', plan: 'enterprise', operator: true });
    await use(100_000_000, { of: operator.id });
  });
  afterAll(async () => {
    await sql('update "identity"."organization" set "operator" = false');
    await sql('delete from "identity"."account" where "billed_organization_id" is not null');
  });

  test('the account is charged from one day after its opening, including overage that was reported before', async () => {
    await use(INCLUDED + 10);
    await report();
    expect([await charged(), (await reported()).length]).toEqual([[], 1]);
    rig.clock.advance(DAY_MS);
    await report();
    const month = rig.clock.now().toISOString().slice(0, 7);
    const [account] = await sql<{ id: string }>('select "id" from "identity"."account" where "billed_organization_id" = ?', [
      organizationId,
    ]);
    expect(await charged()).toEqual([
      {
        ...{ account_id: account?.id, metric: 'api_calls', quantity: 10, unit_price: '0.001', currency: 'USD' },
        ...{ used_at: expect.stringMatching(`^${month}-16T12:00:0`), source: `${organizationId}/${month}/0` },
      },
    ]);
    await use(7);
    rig.clock.advance(HOUR_MS);
    await report();
    rig.clock.advance(HOUR_MS);
    await report();
    expect((await charged()).map(({ quantity, source }) => [quantity, source])).toEqual([
      [10, `${organizationId}/${month}/0`],
      [7, `${organizationId}/${month}/10`],
    ]);
    expect((await reported()).map(({ quantity }) => quantity)).toEqual([10, 7]);
  });

  test('concurrent reports of two processes charge each request once, and a report that fails charges nothing', async () => {
    const other = rig.startProcess();
    rig.clock.advance(DAY_MS);
    await use(INCLUDED + 10);
    await sql('alter table "identity"."outbox" rename to "outbox_away"');
    await expect(report()).rejects.toThrow();
    await sql('alter table "identity"."outbox_away" rename to "outbox"');
    await Promise.all([report(), report(other), report(), report(other)]);
    rig.clock.advance(HOUR_MS);
    await use(5, { by: other });
    await Promise.all([report(other), report()]);
    expect((await charged()).map(({ quantity }) => quantity)).toEqual([10, 5]);
  });

  test('overage of the previous month is charged with a time at the end of that month, and older overage is not charged', async () => {
    await use(INCLUDED + 3);
    const [year, month] = [rig.clock.now().getUTCFullYear(), rig.clock.now().getUTCMonth()];
    rig.clock.set(new Date(Date.UTC(year, month + 1, 2, 12)));
    await report();
    expect(await charged()).toMatchObject([{ quantity: 3, used_at: new Date(Date.UTC(year, month + 1, 1) - 1).toISOString() }]);

    const late = await organization();
    await use(INCLUDED + 4, { of: late });
    rig.clock.set(new Date(Date.UTC(year, month + 3, 1, 12)));
    await report();
    expect(await charged(late)).toEqual([]);
  });

  test('a change to a plan that includes more requests refunds nothing, and later charges cover only additional overage', async () => {
    rig.clock.advance(DAY_MS);
    await use(INCLUDED + 1_000);
    await report();
    await rig.orm.em.fork().transactional(async (tx) => {
      await recordPlan(tx, organizationId, { before: 'developer', plan: 'business' }, rig.clock.now());
      await tx.execute(`update "identity"."organization" set "plan" = 'business' where "id" = ?`, [organizationId]);
    });
    rig.clock.advance(HOUR_MS);
    await use(1);
    await report();
    expect((await charged()).map(({ quantity }) => quantity)).toEqual([1_000]);
    rig.clock.advance(HOUR_MS);
    await use(600_000);
    await report();
    const parts = await charged();
    expect(parts.slice(1).map(({ unit_price: price }) => price)).toEqual(['0.0008']);
    const [last] = (await reported()).slice(-1);
    expect(parts.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(last.overage);
  });
});

test('usage counts of two processes are summed, and one SQL statement writes the counts of all organizations', async () => {
  const other = rig.startProcess();
  const second = await organization();
  await use(3, { by: other });
  identity.core.usage.count(second, { requests: 1, weight: 2 }, rig.clock.now());
  identity.core.usage.count(organizationId, { requests: 4, weight: 4 }, rig.clock.now());
  expect(await rig.statements(() => identity.core.usage.flush())).toBe(1);
  expect(await rig.statements(() => identity.core.usage.flush())).toBe(0);
  expect([await counted(), await counted(second)]).toEqual([7, 1]);
});

test('usage is written again after a failed write, and is counted only once if the response to a successful write was lost', async () => {
  await sql('alter table "identity"."usage_month_counter" rename to "month_away"');
  await use(5);
  await sql('alter table "identity"."month_away" rename to "usage_month_counter"');
  expect(await counted()).toBe(0);
  await use(1);
  expect(await counted()).toBe(6);

  const connection = rig.orm.em.getConnection();
  const execute = connection.execute.bind(connection);
  const line = vi.spyOn(connection, 'execute').mockImplementationOnce(async (...given: Parameters<typeof execute>) => {
    await execute(...given);
    throw new Error('connection lost');
  });
  await use(10);
  line.mockRestore();
  expect(await counted()).toBe(16);
  await use(1);
  expect(await counted()).toBe(17);
});

test('the retention task deletes usage counters older than 400 days', async () => {
  await use(1);
  rig.clock.advance(401 * DAY_MS);
  await use(1);
  await identity.core.retentionTask.run();
  const hours = await sql('select 1 from "identity"."usage_hour_counter" where "organization_id" = ?', [organizationId]);
  expect(hours).toHaveLength(1);
});
