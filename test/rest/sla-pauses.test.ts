import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { eventsOf, eventsWhen, HOUR_MS, slaOf } from '../support/sla.setup.ts';
import type { Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

/** The percentage of an organization's tickets that met their service level. */
const complianceOf = async (owner: Tenant): Promise<number> =>
  (await owner.rest('GET', '/support/analytics/dashboard')).body.dashboard.overview.sla_compliance;

test('raising the priority of a ticket that waits for its customer reports an SLA breach if the new due time has passed', async () => {
  const owner = await platform.organization();
  const { id, created_at } = await open(owner, { priority: 'low' });
  await change(owner, id, { status: 'in_progress' });
  await platform.advance(5 * HOUR_MS);
  await change(owner, id, { waiting_on_customer: true });
  expect(await eventsOf(owner, id, 'sla.breach')).toEqual([]);
  expect(await complianceOf(owner)).toBe(100);

  await change(owner, id, { priority: 'critical' });
  const due_at = new Date(Date.parse(created_at) + 4 * HOUR_MS).toISOString();
  const [breach, ...others] = await eventsWhen(owner, id, 1, 'sla.breach');
  expect(breach.data.sla).toEqual({ breached: 'resolution_time', target: '4 hours', due_at });
  expect(others).toEqual([]);
  const breached = { status: 'breached', due_at, elapsed: '5 hours', time_remaining: '-1 hour', breached_at: expect.any(String) };
  expect((await slaOf(owner, id)).resolution_time).toMatchObject({ ...breached, paused: true });

  await change(owner, id, { status: 'resolved' });
  expect((await slaOf(owner, id)).resolution_time).toMatchObject({ ...breached, paused: false });
  expect(await eventsOf(owner, id, 'sla.breach')).toHaveLength(1);
  expect(await complianceOf(owner)).toBe(0);
});

test('waiting for the customer does not remove a reported SLA breach, but a lower priority with a longer resolution time does', async () => {
  const { id } = await open(tenant, { priority: 'high' });
  await change(tenant, id, { status: 'in_progress' });
  await platform.advance(9 * HOUR_MS);
  await eventsWhen(tenant, id, 1, 'sla.breach');
  await change(tenant, id, { waiting_on_customer: true });
  const { breached_at } = (await slaOf(tenant, id)).resolution_time;
  expect(breached_at).toEqual(expect.any(String));

  await change(tenant, id, { priority: 'critical' });
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'breached', breached_at });
  await change(tenant, id, { priority: 'low' });
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'in_progress', breached_at: null });
  await change(tenant, id, { priority: 'high' });
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'breached', breached_at: expect.any(String) });
  expect(await eventsOf(tenant, id, 'sla.breach')).toHaveLength(1);
});

test('a ticket that waits for its customer has the same remaining resolution time before and after the wait', async () => {
  const { id } = await open(tenant, { priority: 'low' });
  await change(tenant, id, { status: 'in_progress' });
  await platform.advance(3 * HOUR_MS);
  await change(tenant, id, { waiting_on_customer: true });
  await platform.advance(20 * HOUR_MS);
  // 3 of 4 hours are used: the ticket is at risk, and this is reported when the clock continues
  await change(tenant, id, { priority: 'critical' });
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'at_risk', paused: true, breached_at: null });
  expect(await eventsOf(tenant, id, 'sla.breach', 'sla.at_risk')).toEqual([]);
  await change(tenant, id, { waiting_on_customer: false });
  await eventsWhen(tenant, id, 1, 'sla.at_risk');
  await platform.advance(HOUR_MS);
  expect((await eventsWhen(tenant, id, 1, 'sla.breach')).map(({ data }) => data.sla.target)).toEqual(['4 hours']);
});
