import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually } from '../rig.ts';
import type { Json } from '../tenant.ts';
import { linesOf, react, revenueOf, SubscriptionWorld } from './subscription-world.ts';

/** Creates a service whose first invoice an earlier release issued on 10 January, in a database that is upgraded at `now`. */
async function upgraded(now: string) {
  const world = await SubscriptionWorld.open();
  const provisionedAt = new Date('2026-01-10T09:30:00Z');
  world.clock.set(provisionedAt);
  const before = await world.start();
  const service = { id: newId('service'), accountId: world.account(), price: 310, provisionedAt };
  await react(before, world.event('provisioned', service, provisionedAt));
  await before.stop();
  for (const table of ['subscription_charge', 'subscription_item', 'subscription']) await world.query(`delete from "billing"."${table}"`);
  await world.query(`update "billing"."invoice_line" set "item_id" = null, "kind" = 'service', "period_start" = null, "period_end" = null`);
  await world.query(`insert into "billing"."backfill" ("name") values ('service-adoption')`);
  const { id, accountId } = service;
  const terms = {
    name: 'Fiber',
    accountId,
    billingCycle: 'MONTHLY',
    monthlyPrice: 310,
    currency: 'USD',
    provisionedAt,
    updatedAt: provisionedAt,
  };
  world.services.set(id, terms);
  world.clock.set(new Date(now));
  const processes = [await world.start(), await world.start()] as const;
  await eventually(async () => (await world.query('select from "billing"."subscription_item"')).length > 0);
  return { world, process: processes[0], service };
}

test('a service that an earlier platform release invoiced is billed again after its first period, and its decommission credits the rest', async () => {
  const { world, process, service } = await upgraded('2026-01-20T00:00:00Z');
  expect(await linesOf(world)).toHaveLength(1);
  world.clock.set(new Date('2026-02-10T02:00:00Z'));
  await eventually(async () => (await linesOf(world)).length === 2);
  expect((await linesOf(world))[1]).toMatchObject({
    kind: 'recurring',
    amount: '310.0000',
    period_start: new Date('2026-02-10T00:00:00Z'),
  });
  world.clock.set(new Date('2026-02-24T00:00:00Z'));
  await react(process, world.event('decommissioned', service, world.clock.now()));
  expect(await revenueOf(world, service.accountId)).toBe('465');
});

test('a service of an earlier release is counted once in the recurring revenue, from the day of its provisioning until it ends', async () => {
  const { world, process, service } = await upgraded('2026-01-20T00:00:00Z');
  const recurring = async (): Promise<object> => {
    const query = '{ billingAnalytics(period: CURRENT_MONTH, currency: "USD") { recurring { atStart added expanded churned monthly } } }';
    const { data, errors } = await process.execute(query, {});
    expect(errors).toBeUndefined();
    return (data as Json).billingAnalytics.recurring;
  };
  const expected = { atStart: 0, added: 310, expanded: 0, churned: 0, monthly: 310 };
  expect(await recurring()).toEqual(expected);
  // the adoption runs again, as after another upgrade
  await world.query(
    `insert into "billing"."backfill" ("name") values ('service-adoption') on conflict ("name") do update set "position" = null`,
  );
  await world.start();
  await eventually(async () => (await world.query(`select from "billing"."backfill" where "position"->>0 = '2'`)).length > 0);
  expect(await recurring()).toEqual(expected);
  world.clock.set(new Date('2026-01-21T00:00:00Z'));
  for (const reaction of process.running.reactions ?? [])
    if (reaction.on === 'service.decommissioned') await reaction.handle(world.event('decommissioned', service, world.clock.now()));
  expect(await recurring()).toEqual({ ...expected, churned: -310, monthly: 0 });
});

test('a change within the first period of a service of an earlier release credits its first invoice', async () => {
  const { world, process, service } = await upgraded('2026-01-20T00:00:00Z');
  await react(process, world.event('decommissioned', service, world.clock.now()));
  expect(await revenueOf(world, service.accountId)).toBe('100');
});

test('months that an earlier release did not bill are not billed after the upgrade', async () => {
  const { world } = await upgraded('2026-06-20T00:00:00Z');
  world.clock.set(new Date('2026-07-10T02:00:00Z'));
  await eventually(async () => (await linesOf(world)).length === 2);
  expect((await linesOf(world))[1]?.period_start).toEqual(new Date('2026-07-10T00:00:00Z'));
});
