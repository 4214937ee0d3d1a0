import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { eventsOf, eventsWhen, HOUR_MS, MINUTE_MS, plus, slaOf } from '../support/sla.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
/** An organization on the enterprise plan. Its service levels count 24 hours a day. */
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const breaches = (id: string, count: number) => eventsWhen(tenant, id, count, 'sla.breach');

describe('tickets without a response', () => {
  test('a ticket without a response reports sla.at_risk once for the response time, and sla.breach once for each target', async () => {
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

    // later status changes do not report the breaches again
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

  test('a response after the due time is a breach, even if the periodic SLA task has not run yet', async () => {
    const { id } = await open(tenant, { priority: 'critical' });
    await platform.advance(16 * MINUTE_MS);
    expect((await change(tenant, id, { status: 'in_progress' })).sla.response_met).toBe(false);
    expect((await breaches(id, 1)).map(({ data }) => data.sla.breached)).toEqual(['response_time']);
  });
});

test('a ticket with a response and a resolution in time meets both targets and reports no SLA events', async () => {
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

describe('waiting for the customer', () => {
  test('waiting for the customer pauses the resolution clock of a ticket', async () => {
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

  test('waiting for the customer does not pause the response clock of a ticket', async () => {
    const { id } = await open(tenant, { priority: 'high' });
    await change(tenant, id, { waiting_on_customer: true });
    await platform.advance(HOUR_MS);
    expect((await breaches(id, 1)).map(({ data }) => data.sla.breached)).toEqual(['response_time']);
  });

  test('the ticket field waiting_on_customer becomes false when the customer comments, but not when the system comments', async () => {
    const { id } = await open(tenant);
    const isWaiting = async () => (await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.waiting_on_customer;
    const comment = (author: object) => tenant.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'And now?', author } });
    await change(tenant, id, { waiting_on_customer: true });
    expect((await comment({ type: 'system', name: 'Monitoring' })).status).toBe(201);
    expect(await isWaiting()).toBe(true);
    expect((await comment({ type: 'customer', name: 'Ada' })).status).toBe(201);
    expect(await isWaiting()).toBe(false);
  });

  test('resolving a ticket sets waiting_on_customer to false, and setting this field to true on a resolved ticket returns 409', async () => {
    const { id } = await open(tenant);
    await change(tenant, id, { waiting_on_customer: true });
    await change(tenant, id, { status: 'resolved' });
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.waiting_on_customer).toBe(false);
    const refused = await tenant.rest('PUT', `/support/tickets/${id}`, { body: { waiting_on_customer: true } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });
});

describe('priority changes', () => {
  test('the resolution time of a new priority counts from the opening of the ticket, so a breach can follow immediately', async () => {
    const { id, created_at } = await open(tenant, { priority: 'low' });
    await change(tenant, id, { status: 'in_progress' });
    await platform.advance(5 * HOUR_MS);
    expect((await change(tenant, id, { priority: 'critical' })).sla.resolution_due).toBe(plus(created_at, 4));
    expect((await eventsWhen(tenant, id, 1, 'sla.breach')).map(({ data }) => data.sla)).toEqual([
      { breached: 'resolution_time', target: '4 hours', due_at: plus(created_at, 4) },
    ]);
    // a response that met the old target remains met
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'met', target: '8 hours' });
  });

  test('lowering the priority of a ticket extends its due times, and each target is reported as breached only once', async () => {
    const { id, created_at } = await open(tenant, { priority: 'high' });
    await platform.advance(2 * HOUR_MS);
    await breaches(id, 1);
    await change(tenant, id, { priority: 'low' });
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'pending', due_at: plus(created_at, 8), breached_at: null });
    await change(tenant, id, { priority: 'high' });
    expect((await slaOf(tenant, id)).response_time).toMatchObject({ status: 'breached', breached_at: expect.any(String) });
    await change(tenant, id, { priority: 'medium' });
    await platform.advance(2 * HOUR_MS);
    const breached = await breaches(id, 2);
    expect(breached.map(({ data }) => data.sla.target)).toEqual(['1 hour', '4 hours']);
  });
});

test('GraphQL and REST return the same service level of a ticket, and a GraphQL subscription receives its SLA events', async () => {
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

/** The ids of the events about a ticket. */
const eventIds = (of: string): Promise<string[]> =>
  eventually(async () => {
    const query = 'query($of: ID!) { events(filter: { subjectId: [$of] }) { nodes { id } } }';
    const ids: string[] = (await tenant.graphql(query, { of })).data.events.nodes.map(({ id }: Json) => id);
    return ids.length > 0 && ids;
  });

test('reopening a ticket continues its resolution clock from the time that was already used', async () => {
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
