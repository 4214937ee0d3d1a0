import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { changeTicket as change, eventsOf, eventsWhen, HOUR_MS, MINUTE_MS, openTicket as open, slaOf } from '../support/sla.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
/** Of the plan enterprise, which promises round the clock. */
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const plus = (instant: string, hours: number): string => new Date(Date.parse(instant) + hours * HOUR_MS).toISOString();
const breaches = (id: string, count: number) => eventsWhen(tenant, id, count, 'sla.breach');

describe('a ticket that nobody answers', () => {
  test('is at risk, then breached, once for each clock, at its due instant and not before', async () => {
    const { id, created_at } = await open(tenant, { priority: 'high' });
    expect(await slaOf(tenant, id)).toMatchObject({
      ticket_id: id,
      priority: 'high',
      category: 'general',
      sla_tier: 'enterprise',
      response_time: { target: '1 hour', actual: null, status: 'pending', due_at: plus(created_at, 1), responded_at: null },
      resolution_time: { target: '8 hours', elapsed: '0 minutes', status: 'pending', due_at: plus(created_at, 8), paused: false },
      escalation: { current_level: 0, escalated_at: null, escalation_reason: null, next_escalation: plus(created_at, 6) },
    });

    await platform.advance(45 * MINUTE_MS);
    const [risk] = await eventsWhen(tenant, id, 1, 'sla.at_risk');
    expect(risk.data).toMatchObject({ ticket: { id }, sla: { at_risk: 'response_time', target: '1 hour', due_at: plus(created_at, 1) } });
    expect((await slaOf(tenant, id)).response_time.status).toBe('at_risk');
    expect(await eventsOf(tenant, id, 'sla.breach')).toEqual([]);

    await platform.advance(15 * MINUTE_MS);
    const [breach] = await breaches(id, 1);
    expect(breach.data).toMatchObject({
      ticket: { id },
      sla: { breached: 'response_time', target: '1 hour', due_at: plus(created_at, 1) },
    });
    expect(Date.parse(breach.timestamp)).toBeGreaterThanOrEqual(Date.parse(plus(created_at, 1)));
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'breached', breached_at: expect.any(String) });

    await platform.advance(7 * HOUR_MS);
    expect((await breaches(id, 2)).map(({ data }) => data.sla.breached)).toEqual(['response_time', 'resolution_time']);
    const { resolution_time } = await slaOf(tenant, id);
    expect(resolution_time).toMatchObject({ status: 'breached', elapsed: '8 hours', time_remaining: '0 minutes' });
    await platform.advance(90 * MINUTE_MS);
    expect((await slaOf(tenant, id)).resolution_time).toMatchObject({
      elapsed: '9 hours 30 minutes',
      time_remaining: '-1 hour 30 minutes',
    });

    // what is done to it later finds nothing that was not told
    await change(tenant, id, { status: 'in_progress' });
    await change(tenant, id, { status: 'resolved' });
    await eventsWhen(tenant, id, 1, 'ticket.resolved');
    expect(await eventsOf(tenant, id, 'sla.breach')).toHaveLength(2);
    expect(await slaOf(tenant, id)).toMatchObject({ response_time: { status: 'breached' }, resolution_time: { status: 'breached' } });

    const timeline = await (await rows()).query<{ member: string; to: string; actor_id: string }>(
      `select "member", "to" #>> '{}' as "to", "actor_id" from "support"."ticket_change" where "ticket_id" = $1 and "member" like '%_time' order by "created_at", "id"`,
      [id],
    );
    expect(timeline.map(({ member, to }) => `${member} ${to}`)).toEqual([
      'response_time at_risk',
      'response_time breached',
      'resolution_time breached',
    ]);
    expect(new Set(timeline.map(({ actor_id }) => actor_id))).toEqual(new Set(['support.sla']));
  });

  test('and that is answered after its due instant is breached, although no sweep had come', async () => {
    const { id } = await open(tenant, { priority: 'critical' });
    await platform.advance(16 * MINUTE_MS);
    expect((await change(tenant, id, { status: 'in_progress' })).sla.response_met).toBe(false);
    expect((await breaches(id, 1)).map(({ data }) => data.sla.breached)).toEqual(['response_time']);
  });
});

test('one that is answered and resolved in time has met both, and nothing is told later', async () => {
  const { id } = await open(tenant, { priority: 'high' });
  await platform.advance(30 * MINUTE_MS);
  await change(tenant, id, { status: 'in_progress' });
  await platform.advance(2 * HOUR_MS);
  expect(await slaOf(tenant, id)).toMatchObject({
    response_time: { status: 'met', actual: '30 minutes' },
    resolution_time: { status: 'in_progress', elapsed: '2 hours 30 minutes', time_remaining: '5 hours 30 minutes' },
  });
  await change(tenant, id, { status: 'resolved' });
  const other = await open(tenant, { priority: 'high' });
  await platform.advance(12 * HOUR_MS);
  await breaches(other.id, 2);
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'met', elapsed: '2 hours 30 minutes' });
  expect(await eventsOf(tenant, id, 'sla.breach', 'sla.at_risk', 'ticket.escalated')).toEqual([]);
});

describe('waiting on the customer', () => {
  test('stops the clock of the resolution, which goes on behind it', async () => {
    const { id, created_at } = await open(tenant, { priority: 'high' });
    await change(tenant, id, { status: 'in_progress' });
    await platform.advance(3 * HOUR_MS);
    await change(tenant, id, { waiting_on_customer: true });
    await platform.advance(20 * HOUR_MS);
    expect((await slaOf(tenant, id)).resolution_time).toMatchObject({
      paused: true,
      paused_at: expect.any(String),
      status: 'in_progress',
      elapsed: '3 hours',
      time_remaining: '5 hours',
      due_at: plus(created_at, 8),
    });
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBeNull();
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.waiting_on_customer).toBe(true);

    await change(tenant, id, { waiting_on_customer: false });
    const { resolution_time } = await slaOf(tenant, id);
    expect(resolution_time).toMatchObject({ paused: false, elapsed: '3 hours' });
    expect(Math.abs(Date.parse(resolution_time.due_at) - Date.parse(plus(created_at, 28)))).toBeLessThan(30_000);
    expect(await eventsOf(tenant, id, 'sla.breach', 'sla.at_risk')).toEqual([]);

    await platform.advance(5 * HOUR_MS);
    expect((await breaches(id, 1)).map(({ data }) => data.sla)).toEqual([
      { breached: 'resolution_time', target: '8 hours', due_at: resolution_time.due_at },
    ]);
  });

  test('does not stop that of the response', async () => {
    const { id } = await open(tenant, { priority: 'high' });
    await change(tenant, id, { waiting_on_customer: true });
    await platform.advance(HOUR_MS);
    expect((await breaches(id, 1)).map(({ data }) => data.sla.breached)).toEqual(['response_time']);
  });

  test('ends with the resolution, and a resolved ticket cannot wait', async () => {
    const { id } = await open(tenant);
    await change(tenant, id, { waiting_on_customer: true });
    await change(tenant, id, { status: 'resolved' });
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.waiting_on_customer).toBe(false);
    const refused = await tenant.rest('PUT', `/support/tickets/${id}`, { body: { waiting_on_customer: true } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });
});

describe('another priority', () => {
  test('reckons from the beginning, and is breached at once where that makes it late', async () => {
    const { id, created_at } = await open(tenant, { priority: 'low' });
    await change(tenant, id, { status: 'in_progress' });
    await platform.advance(5 * HOUR_MS);
    expect((await change(tenant, id, { priority: 'critical' })).sla.resolution_due).toBe(plus(created_at, 4));
    expect((await eventsWhen(tenant, id, 1, 'sla.breach')).map(({ data }) => data.sla)).toEqual([
      { breached: 'resolution_time', target: '4 hours', due_at: plus(created_at, 4) },
    ]);
    // what was answered in time stays so
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'met', target: '8 hours' });
  });

  test('gives time back, and each target is told of once', async () => {
    const { id, created_at } = await open(tenant, { priority: 'high' });
    await platform.advance(2 * HOUR_MS);
    await breaches(id, 1);
    await change(tenant, id, { priority: 'low' });
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'pending', due_at: plus(created_at, 8), breached_at: null });
    await change(tenant, id, { priority: 'high' });
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'breached', breached_at: expect.any(String) });
    await change(tenant, id, { priority: 'medium' });
    await platform.advance(2 * HOUR_MS);
    const told = await breaches(id, 2);
    expect(told.map(({ data }) => data.sla.target)).toEqual(['1 hour', '4 hours']);
  });
});

test('the graph shows the same, and what happens to it live', async () => {
  const socket = tenant.socket();
  try {
    const { id } = await open(tenant, { priority: 'high' });
    const query = `query($id: ID!) { ticket(id: $id) { waitingOnCustomer sla {
      tier response { target status dueAt breachedAt } resolution { target elapsed status dueAt timeRemaining paused pausedAt }
      escalation { currentLevel nextEscalation }
    } } }`;
    const { data, errors } = await tenant.graphql(query, { id });
    expect(errors).toBeUndefined();
    const { response_time, resolution_time, escalation } = await slaOf(tenant, id);
    expect(data.ticket).toEqual({
      waitingOnCustomer: false,
      sla: {
        tier: 'enterprise',
        response: { target: '1 hour', status: 'PENDING', dueAt: response_time.due_at, breachedAt: null },
        resolution: {
          target: '8 hours',
          elapsed: resolution_time.elapsed,
          status: 'PENDING',
          dueAt: resolution_time.due_at,
          timeRemaining: resolution_time.time_remaining,
          paused: false,
          pausedAt: null,
        },
        escalation: { currentLevel: 0, nextEscalation: escalation.next_escalation },
      },
    });

    const stream = socket.iterate<Json>({
      query: 'subscription($after: ID) { ticketUpdated(after: $after) { event ticket { id sla { response { status } } } } }',
      variables: { after: (await eventIds(id))[0] },
    });
    await platform.advance(HOUR_MS);
    const seen = await eventually(async () => {
      const { value } = await stream.next();
      return value.data.ticketUpdated.event === 'sla.breach' && value.data.ticketUpdated.ticket.id === id && value.data.ticketUpdated;
    });
    expect(seen.ticket).toEqual({ id, sla: { response: { status: 'BREACHED' } } });
  } finally {
    await socket.dispose();
  }
});

/** The ids of what the log has about a ticket. */
const eventIds = (of: string): Promise<string[]> =>
  eventually(async () => {
    const query = 'query($of: ID!) { events(filter: { subjectId: [$of] }) { nodes { id } } }';
    const ids: string[] = (await tenant.graphql(query, { of })).data.events.nodes.map(({ id }: Json) => id);
    return ids.length > 0 && ids;
  });

test('reopening lets the clock go on where it stood', async () => {
  const { id } = await open(tenant, { priority: 'high' });
  await change(tenant, id, { status: 'in_progress' });
  await platform.advance(3 * HOUR_MS);
  await change(tenant, id, { status: 'resolved' });
  await platform.advance(12 * HOUR_MS);
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'met', elapsed: '3 hours' });
  await change(tenant, id, { status: 'open' });
  expect((await slaOf(tenant, id)).resolution_time).toMatchObject({ status: 'in_progress', elapsed: '3 hours', time_remaining: '5 hours' });
  await platform.advance(4 * HOUR_MS);
  await eventsWhen(tenant, id, 1, 'sla.at_risk');
  expect(await eventsOf(tenant, id, 'sla.breach')).toEqual([]);
  await platform.advance(HOUR_MS);
  await breaches(id, 1);
});

describe('business hours', () => {
  /** Every day from an hour before now to an hour after it, by the clocks of a zone in which it is about noon. */
  const aroundNow = () => {
    const now = platform.clock.now();
    const offset = 12 - now.getUTCHours();
    const wall = (hours: number) => new Date(now.getTime() + (offset + hours) * HOUR_MS).toISOString();
    const [from = '', to = ''] = [wall(-1), wall(1)].map((text) => text.slice(11, 16));
    const hours = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from, to };
    return { zone: `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`, hours, tomorrow: wall(24).slice(0, 10), opening: wall(23) };
  };
  const targets = ['low', 'medium', 'high', 'critical'].map((priority) => ({
    priority,
    response_time: '30 minutes',
    resolution_time: '150 minutes',
    escalate_after: ['2 hours'],
  }));
  /** An organization whose tickets about voice are under a policy with these hours. */
  async function underPolicy(more: object): Promise<{ owner: Tenant; policyId: string }> {
    const owner = await platform.organization();
    const created = await owner.rest('POST', '/support/sla-policies', { body: { name: 'Gold', targets, ...more } });
    expect([created.status, created.body.data]).toMatchObject([201, { id: expect.stringMatching(/^sla_/), name: 'Gold' }]);
    const policyId = created.body.data.id as string;
    const named = await owner.rest('PUT', '/support/categories/voice', { body: { sla_policy_id: policyId } });
    expect([named.status, named.body.data]).toMatchObject([200, { sla_tier: 'Gold', sla_policy_id: policyId }]);
    return { owner, policyId };
  }
  /** Within the minute that a policy's hours are rounded to. */
  const expectAbout = (instant: string, expected: number) => expect(Math.abs(Date.parse(instant) - expected)).toBeLessThan(2 * MINUTE_MS);

  test('are by the clocks of the ticket’s zone; critical tickets are round the clock', async () => {
    const { zone, hours } = aroundNow();
    // in the policy's zone it is night
    const { owner } = await underPolicy({ business_hours: [hours], timezone: zone === 'Etc/GMT-12' ? 'Etc/GMT+0' : 'Etc/GMT-12' });
    const here = await open(owner, { category: 'voice', location: { timezone: zone } });
    const opened = Date.parse(here.created_at);
    expectAbout(here.sla.response_due, opened + 0.5 * HOUR_MS);
    // an hour today, the rest from tomorrow's opening on
    expectAbout(here.sla.resolution_due, opened + 24.5 * HOUR_MS);
    const there = await open(owner, { category: 'voice' });
    expect(Date.parse(there.sla.response_due)).toBeGreaterThan(opened + 2 * HOUR_MS);
    const critical = await open(owner, { category: 'voice', priority: 'critical' });
    expect(critical.sla.resolution_due).toBe(plus(critical.created_at, 2.5));
    expect((await slaOf(owner, here.id)).sla_tier).toBe('Gold');
    expect((await slaOf(owner, (await open(owner)).id)).sla_tier).toBe('enterprise');
  });

  test('pass over holidays; a promise outlives a change of its policy, which cannot go while it is used', async () => {
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

  test('let nothing pass at night, and a pause over closing time costs what would have been worked', async () => {
    const { zone, hours } = aroundNow();
    const { owner } = await underPolicy({ business_hours: [hours], timezone: zone });
    const { id, created_at } = await open(owner, { category: 'voice' });
    await change(owner, id, { status: 'in_progress' });
    await platform.advance(HOUR_MS / 2);
    await change(owner, id, { waiting_on_customer: true });
    // the next day at the same time: half an hour of today and an hour and a half of tomorrow would have been worked
    await platform.advance(24 * HOUR_MS);
    expect((await slaOf(owner, id)).resolution_time).toMatchObject({
      paused: true,
      elapsed: '30 minutes',
      time_remaining: '2 hours',
    });
    await change(owner, id, { waiting_on_customer: false });
    // half an hour is left of that day
    expectAbout((await slaOf(owner, id)).resolution_time.due_at, Date.parse(created_at) + 48.5 * HOUR_MS);
    await platform.advance(12 * HOUR_MS);
    expect((await slaOf(owner, id)).resolution_time.elapsed).toMatch(/^(1 hour|59 minutes|1 hour 1 minute)$/);
    expect(await eventsOf(owner, id, 'sla.breach')).toEqual([]);
  });

  test('are promised by the smaller plans', async () => {
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

describe('an unresolved ticket', () => {
  test('climbs the levels of its priority by itself', async () => {
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
    // both that are left fall due while nobody looks: it gets the higher one
    await platform.advance(2 * HOUR_MS);
    await eventually(async () => (await slaOf(tenant, id)).escalation.current_level === 3);
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBeNull();
    const { data } = await tenant.graphql('query($id: ID!) { ticket(id: $id) { escalations { level actorKind actorId } } }', { id });
    expect(data.ticket.escalations.map(({ level }: { level: number }) => level)).toEqual([3, 1]);
    expect(data.ticket.escalations[0]).toMatchObject({ actorKind: 'system', actorId: 'support.sla' });
  });

  test('is escalated when its subcategory says so', async () => {
    const { id, created_at } = await open(tenant, { category: 'security', subcategory: 'incident', priority: 'high' });
    expect((await slaOf(tenant, id)).escalation.next_escalation).toBe(plus(created_at, 0.5));
    await platform.advance(30 * MINUTE_MS);
    await eventually(async () => (await slaOf(tenant, id)).escalation.current_level === 1);
  });
});

test('an SLA policy that makes no sense is refused, naming each member', async () => {
  const good = ['low', 'medium', 'high', 'critical'].map((priority) => ({ priority, response_time: '1 hour', resolution_time: '8 hours' }));
  const refused = async (body: object) => {
    const answer = await tenant.rest('POST', '/support/sla-policies', { body: { name: 'Odd', targets: good, ...body } });
    return [answer.status, answer.body.error?.details.field];
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
