import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { eventsOf, eventsWhen, HOUR_MS, MINUTE_MS, plus, slaOf } from '../support/sla.setup.ts';
import type { Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
/** An organization on the enterprise plan. Its service levels count 24 hours a day. */
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

describe('business hours of service levels', () => {
  /** The time zone that is `offset` hours ahead of UTC. The sign in an Etc zone name is inverted. */
  const zoneOf = (offset: number): string => `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  /**
   * Daily business hours that began one hour ago and end in one hour, in a time zone where it is about noon. Also returns a
   * time zone where it is about midnight.
   */
  const aroundNow = () => {
    const now = platform.clock.now();
    const offset = 12 - now.getUTCHours();
    // business hours have no seconds: a minute that has begun is whole, so that no hour is shorter
    const minute = Math.ceil(now.getTime() / MINUTE_MS) * MINUTE_MS;
    const wall = (hours: number) => new Date(minute + (offset + hours) * HOUR_MS).toISOString();
    const [from = '', to = ''] = [wall(-1), wall(1)].map((text) => text.slice(11, 16));
    const hours = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from, to };
    // a time zone in which it is midnight
    const night = zoneOf(offset > 0 ? offset - 12 : offset + 12);
    return { zone: zoneOf(offset), night, hours, tomorrow: wall(24).slice(0, 10), opening: wall(23) };
  };
  const targets = ['low', 'medium', 'high', 'critical'].map((priority) => ({
    priority,
    response_time: '30 minutes',
    resolution_time: '150 minutes',
    escalate_after: ['2 hours'],
  }));
  /** An organization whose voice tickets use an SLA policy with these fields. */
  async function underPolicy(more: object): Promise<{ owner: Tenant; policyId: string }> {
    const owner = await platform.organization();
    const created = await owner.rest('POST', '/support/sla-policies', { body: { name: 'Gold', targets, ...more } });
    expect([created.status, created.body.data]).toMatchObject([201, { id: expect.stringMatching(/^sla_/), name: 'Gold' }]);
    const policyId = created.body.data.id as string;
    const named = await owner.rest('PUT', '/support/categories/voice', { body: { sla_policy_id: policyId } });
    expect([named.status, named.body.data]).toMatchObject([200, { sla_tier: 'Gold', sla_policy_id: policyId }]);
    return { owner, policyId };
  }
  /** Allows a difference of two minutes, because the hours of a policy are rounded to minutes. */
  const expectAbout = (instant: string, expected: number) => expect(Math.abs(Date.parse(instant) - expected)).toBeLessThan(2 * MINUTE_MS);

  test("due times follow the business hours in the ticket's time zone, and the SLA of critical tickets counts 24 hours a day", async () => {
    const { zone, night, hours } = aroundNow();
    const { owner } = await underPolicy({ business_hours: [hours], timezone: night });
    const here = await open(owner, { category: 'voice', location: { timezone: zone } });
    const opened = Date.parse(here.created_at);
    expectAbout(here.sla.response_due, opened + 0.5 * HOUR_MS);
    // one hour counts today, and the rest counts from tomorrow's opening on
    expectAbout(here.sla.resolution_due, opened + 24.5 * HOUR_MS);
    const there = await open(owner, { category: 'voice' });
    expect(Date.parse(there.sla.response_due)).toBeGreaterThan(opened + 2 * HOUR_MS);
    const critical = await open(owner, { category: 'voice', priority: 'critical' });
    expect(critical.sla.resolution_due).toBe(plus(critical.created_at, 2.5));
    expect((await slaOf(owner, here.id)).sla_tier).toBe('Gold');
    expect((await slaOf(owner, (await open(owner)).id)).sla_tier).toBe('enterprise');
  });

  test('holidays do not count as business hours, a changed policy affects only new tickets, and deleting a policy in use returns 409', async () => {
    const { zone, hours, tomorrow } = aroundNow();
    const { owner, policyId } = await underPolicy({ business_hours: [hours], timezone: zone, holidays: [tomorrow] });
    const ticket = await open(owner, { category: 'voice' });
    expectAbout(ticket.sla.resolution_due, Date.parse(ticket.created_at) + 48.5 * HOUR_MS);
    expectAbout((await slaOf(owner, ticket.id)).escalation.next_escalation, Date.parse(ticket.created_at) + 48 * HOUR_MS);

    await owner.rest('PUT', `/support/sla-policies/${policyId}`, { body: { business_hours: null } });
    expect((await slaOf(owner, ticket.id)).resolution_time.due_at).toBe(ticket.sla.resolution_due);
    const later = await open(owner, { category: 'voice' });
    expect(later.sla.resolution_due).toBe(plus(later.created_at, 2.5));

    const used = await owner.rest('DELETE', `/support/sla-policies/${policyId}`);
    expect([used.status, used.body.error]).toMatchObject([409, { code: 'INVALID_STATE', details: { categories: ['voice'] } }]);
    const { body } = await owner.rest('PUT', '/support/categories/voice', { body: { sla_policy_id: null } });
    expect(body.data.sla_tier).toBe('enterprise');
    expect((await owner.rest('DELETE', `/support/sla-policies/${policyId}`)).status).toBe(200);
    expect((await owner.rest('GET', `/support/sla-policies/${policyId}`)).status).toBe(404);
  });

  test('the resolution clock and pauses of a ticket count only business hours', async () => {
    const { zone, hours } = aroundNow();
    const { owner } = await underPolicy({ business_hours: [hours], timezone: zone });
    const { id, created_at } = await open(owner, { category: 'voice' });
    await change(owner, id, { status: 'in_progress' });
    await platform.advance(HOUR_MS / 2);
    await change(owner, id, { waiting_on_customer: true });
    // 24 hours later: half an hour of today and 90 minutes of tomorrow were business hours
    await platform.advance(24 * HOUR_MS);
    expect((await slaOf(owner, id)).resolution_time).toMatchObject({
      paused: true,
      elapsed: '30 minutes',
      time_remaining: '2 hours',
    });
    await change(owner, id, { waiting_on_customer: false });
    // half an hour of that day's business hours is left
    expectAbout((await slaOf(owner, id)).resolution_time.due_at, Date.parse(created_at) + 48.5 * HOUR_MS);
    await platform.advance(12 * HOUR_MS);
    expect((await slaOf(owner, id)).resolution_time.elapsed).toMatch(/^(1 hour|59 minutes|1 hour 1 minute)$/);
    expect(await eventsOf(owner, id, 'sla.breach')).toEqual([]);
  });

  test('the due times of a ticket of an organization on the business plan are within business hours', async () => {
    const business = await platform.organization({ plan: 'business' });
    const { id, sla } = await open(business, { priority: 'high' });
    expect((await slaOf(business, id)).sla_tier).toBe('business');
    for (const due of [sla.response_due, sla.resolution_due].map((instant) => new Date(instant))) {
      expect([1, 2, 3, 4, 5]).toContain(due.getUTCDay());
      const hour = due.getUTCHours() + due.getUTCMinutes() / 60;
      expect(hour).toBeGreaterThanOrEqual(9);
      expect(hour).toBeLessThanOrEqual(17.02);
    }
  });
});

describe('automatic escalation', () => {
  test('an unresolved ticket is escalated automatically at each escalation time of its priority', async () => {
    const { id, created_at } = await open(tenant, { priority: 'critical' });
    await change(tenant, id, { status: 'in_progress' });
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBe(plus(created_at, 2));
    await platform.advance(2 * HOUR_MS);
    const [escalated] = await eventsWhen(tenant, id, 1, 'ticket.escalated');
    expect(escalated.data).toMatchObject({
      ticket: { id, status: 'escalated', escalation_level: 1, escalation_reason: expect.any(String) },
      changes: { escalation_level: { from: 0, to: 1 }, status: { from: 'in_progress', to: 'escalated' } },
    });
    expect((await slaOf(tenant, id)).escalation).toMatchObject({
      current_level: 1,
      escalated_at: expect.any(String),
      next_escalation: plus(created_at, 3),
    });

    await change(tenant, id, { status: 'in_progress' });
    // the two remaining levels are due in the same run, and the higher level is set
    await platform.advance(2 * HOUR_MS);
    await eventually(async () => (await slaOf(tenant, id)).escalation.current_level === 3);
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBeNull();
    const { data } = await tenant.graphql('query($id: ID!) { ticket(id: $id) { escalations { level actorKind actorId } } }', { id });
    expect(data.ticket.escalations.map(({ level }: { level: number }) => level)).toEqual([3, 1]);
    expect(data.ticket.escalations[0]).toMatchObject({ actorKind: 'system', actorId: 'support.sla' });
  });

  test('an unresolved ticket is escalated after the escalation_threshold of its subcategory', async () => {
    const { id, created_at } = await open(tenant, { category: 'security', subcategory: 'incident', priority: 'high' });
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBe(plus(created_at, 0.5));
    await platform.advance(30 * MINUTE_MS);
    await eventually(async () => (await slaOf(tenant, id)).escalation.current_level === 1);
  });
});

test('creating an invalid SLA policy returns 400 with the field, and a second policy with the same name returns 409', async () => {
  const good = ['low', 'medium', 'high', 'critical'].map((priority) => ({ priority, response_time: '1 hour', resolution_time: '8 hours' }));
  const refused = async (body: object) => {
    const response = await tenant.rest('POST', '/support/sla-policies', { body: { name: 'Odd', targets: good, ...body } });
    return [response.status, response.body.error?.details.field];
  };
  expect(await refused({ name: '' })).toEqual([400, 'name']);
  expect(await refused({ timezone: '+02:00' })).toEqual([400, 'timezone']);
  expect(await refused({ targets: good.slice(1) })).toEqual([400, 'targets']);
  expect(await refused({ targets: [good[0], ...good.slice(0, 3)] })).toEqual([400, 'targets.1.priority']);
  expect(await refused({ targets: [{ ...good[0], response_time: 'soon' }, ...good.slice(1)] })).toEqual([400, 'targets.0.response_time']);
  expect(await refused({ targets: [{ ...good[0], escalate_after: ['2 hours', '1 hour'] }, ...good.slice(1)] })).toEqual([
    400,
    'targets.0.escalate_after',
  ]);
  expect(await refused({ business_hours: [{ days: ['monday'], from: '9', to: '17:00' }] })).toEqual([400, 'business_hours.0.days']);
  expect(await refused({ business_hours: [] })).toEqual([400, 'business_hours']);
  expect(await refused({ holidays: ['2027-02-30'] })).toEqual([400, 'holidays']);
  expect((await tenant.rest('POST', '/support/sla-policies', { body: { name: 'One', targets: good } })).status).toBe(201);
  const twice = await tenant.rest('POST', '/support/sla-policies', { body: { name: 'One', targets: good } });
  expect([twice.status, twice.body.error.code]).toEqual([409, 'DUPLICATE_RESOURCE']);
});
