import { beforeAll, describe, expect, test } from 'vitest';
import type { Mail } from '../../kernel/messages/mail.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { makeRule } from './routing.setup.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
});

const read = async ({ id }: Json, by = tenant): Promise<Json> => {
  const query = '{ status priority sla { escalationLevel escalationReason respondedAt } }';
  return (await by.graphql(`query ($id: ID!) { ticket(id: $id) ${query} }`, { id })).data.ticket;
};
const levelOf = async (ticket: Json): Promise<number> => (await read(ticket)).sla.escalationLevel;
const move = async ({ id }: Json, status: string): Promise<void> =>
  expect((await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status } })).status).toBe(200);
/** Waits until no automation is due, because the periodic task has processed all of them. */
const swept = (): Promise<unknown> =>
  eventually(async () => {
    const now = platform.clock.now();
    return (await (await rows()).query('select 1 from support.ticket_automation where due_at <= $1', [now])).length === 0;
  });
const pass = async (ms: number): Promise<void> => {
  await platform.advance(ms);
  await swept();
};
const contact = () => ({ name: 'Ada Diaz', email: `${newId('user').toLowerCase()}@example.com` });
const mailsTo = ({ email }: { email: string }): Mail[] => platform.mails.filter(({ to }) => to === email);
const eventsOf = async ({ id }: Json, event: string): Promise<Json[]> =>
  (
    await tenant.graphql(
      'query ($of: [ID!], $event: [String!]) { events(filter: { subjectId: $of, event: $event }) { nodes { payload } } }',
      { of: [id], event: [event] },
    )
  ).data.events.nodes.map(({ payload }: Json) => JSON.parse(payload));

describe('escalate_after in routing rules', () => {
  test('the routing action escalate_after escalates a ticket once if the ticket is not resolved in time, and the escalation states the reason', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { rule_name: 'Quick', actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await pass(29 * MINUTE_MS);
    expect(await levelOf(ticket)).toBe(0);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await levelOf(ticket)) === 1);
    expect(await read(ticket)).toMatchObject({
      status: 'ESCALATED',
      sla: { escalationReason: 'Not resolved within 30 minutes', respondedAt: null },
    });
    await pass(HOUR_MS);
    expect(await levelOf(ticket)).toBe(1);
    const events = await eventually(async () => {
      const found = await eventsOf(ticket, 'ticket.escalated');
      return found.length > 0 && found;
    });
    expect(events).toMatchObject([{ data: { changes: { escalation_level: { from: 0, to: 1 } } } }]);
  });

  test('only support staff can read which routing rule escalated a ticket', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { rule_name: 'Quick', actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await platform.advance(30 * MINUTE_MS);
    const [event] = await eventually(async () => {
      const found = await eventsOf(ticket, 'ticket.escalated');
      return found.length > 0 && found;
    });
    const customer = await tenant.limitedTo('support:read', 'support:create');
    const seen = [event];
    for (const of of ['', '/sla', '/timeline', '/comments'])
      seen.push((await customer.rest('GET', `/support/tickets/${ticket.id}${of}`)).body);
    expect(JSON.stringify(seen)).toContain('Not resolved within 30 minutes');
    expect(JSON.stringify(seen)).not.toContain('Quick');
    const { data } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { escalations { reason comments } } }', { id: ticket.id });
    expect(data.ticket.escalations).toEqual([{ reason: 'Not resolved within 30 minutes', comments: 'Routing rule “Quick”' }]);
  });

  test('the routing action escalate_after raises the level by one if the ticket was already escalated manually', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { actions: { escalate_after: '1_hour' } });
    const ticket = await openTicket(tenant);
    await move(ticket, 'escalated');
    const before = await levelOf(ticket);
    await platform.advance(HOUR_MS);
    await eventually(async () => (await levelOf(ticket)) === before + 1);
  });

  test('the routing action escalate_after pauses while its ticket is resolved and continues when the ticket is reopened', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await pass(20 * MINUTE_MS);
    await move(ticket, 'resolved');
    await pass(HOUR_MS);
    expect(await levelOf(ticket)).toBe(0);
    await move(ticket, 'open');
    await pass(20 * MINUTE_MS);
    expect(await levelOf(ticket)).toBe(0);
    await platform.advance(10 * MINUTE_MS);
    await eventually(async () => (await levelOf(ticket)) === 1);
  });

  test.each([
    ['is deleted', (path: string) => tenant.rest('DELETE', path)],
    ['is not active', (path: string) => tenant.rest('PUT', path, { body: { active: false } })],
  ])('the routing action escalate_after does not escalate a ticket if its routing rule %s', async (_, change) => {
    tenant = await platform.organization();
    const who = contact();
    const rule = await makeRule(tenant, { actions: { escalate_after: '30_minutes', auto_update_frequency: '15_minutes' } });
    const ticket = await openTicket(tenant, { contact: who });
    expect((await change(`/support/routing-rules/${rule.id}`)).status).toBe(200);
    await pass(2 * HOUR_MS);
    expect(await read(ticket)).toMatchObject({ status: 'OPEN', sla: { escalationLevel: 0 } });
    expect(mailsTo(who)).toEqual([]);
  });

  test('changing escalate_after of a routing rule does not affect tickets that are already open', async () => {
    tenant = await platform.organization();
    const rule = await makeRule(tenant, { actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await tenant.rest('PUT', `/support/routing-rules/${rule.id}`, { body: { actions: { escalate_after: '8_hours' } } });
    await platform.advance(30 * MINUTE_MS);
    await eventually(async () => (await levelOf(ticket)) === 1);
  });
});

describe('the ticket field next_escalation', () => {
  const nextOf = async ({ id }: Json): Promise<string | null> =>
    (await tenant.rest('GET', `/support/tickets/${id}/sla`)).body.sla_status.escalation.next_escalation;
  const hoursAfter = ({ created_at }: Json, hours: number): string => new Date(Date.parse(created_at) + hours * HOUR_MS).toISOString();

  test('the ticket field next_escalation is the earlier of the escalation times of the routing rule and the service level', async () => {
    tenant = await platform.organization();
    const rule = await makeRule(tenant, { conditions: { category: 'voice' }, actions: { escalate_after: '3_hours' } });
    const high = await openTicket(tenant, { category: 'voice', priority: 'high' });
    expect(await nextOf(high)).toBe(hoursAfter(high, 3));
    const critical = await openTicket(tenant, { category: 'voice', priority: 'critical' });
    expect(await nextOf(critical)).toBe(hoursAfter(critical, 2));
    const other = await openTicket(tenant, { priority: 'high' });
    expect(await nextOf(other)).toBe(hoursAfter(other, 6));
    const { data, errors } = await tenant.graphql('{ tickets { nodes { number sla { escalation { nextEscalation } } } } }');
    expect(errors).toBeUndefined();
    expect(data.tickets.nodes.map(({ sla }: Json) => sla.escalation.nextEscalation)).toEqual([
      hoursAfter(other, 6),
      hoursAfter(critical, 2),
      hoursAfter(high, 3),
    ]);

    // waiting for the customer pauses the service level but not the routing rule
    await tenant.rest('PUT', `/support/tickets/${high.id}`, { body: { waiting_on_customer: true } });
    expect(await nextOf(high)).toBe(hoursAfter(high, 3));
    await tenant.rest('PUT', `/support/routing-rules/${rule.id}`, { body: { active: false } });
    expect(await nextOf(high)).toBeNull();
    await tenant.rest('PUT', `/support/routing-rules/${rule.id}`, { body: { active: true } });
    await move(high, 'resolved');
    expect(await nextOf(high)).toBeNull();
  });

  test('the ticket field next_escalation is null at the highest escalation level', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { actions: { escalate_after: '3_hours' } });
    const ticket = await openTicket(tenant);
    await tenant.rest('POST', `/support/tickets/${ticket.id}/escalate`, { body: { escalation_level: 5 } });
    expect(await nextOf(ticket)).toBeNull();
  });
});

describe('auto_update_frequency in routing rules', () => {
  test('the routing action auto_update_frequency mails the ticket status to the contact at each interval until the ticket is resolved', async () => {
    tenant = await platform.organization();
    const who = contact();
    await makeRule(tenant, { actions: { auto_update_frequency: '2_hours' } });
    const ticket = await openTicket(tenant, { contact: who });
    await pass(2 * HOUR_MS - MINUTE_MS);
    expect(mailsTo(who)).toEqual([]);
    await platform.advance(MINUTE_MS);
    await eventually(() => mailsTo(who).length === 1);
    await move(ticket, 'in_progress');
    await platform.advance(2 * HOUR_MS);
    await eventually(() => mailsTo(who).length === 2);
    expect(mailsTo(who)[1]).toMatchObject({ toName: 'Ada Diaz', subject: expect.stringContaining(ticket.number) });
    expect(mailsTo(who)[1]?.text).toContain('Status: in progress');

    await move(ticket, 'resolved');
    await pass(6 * HOUR_MS);
    expect(mailsTo(who)).toHaveLength(2);
    await move(ticket, 'open');
    await platform.advance(2 * HOUR_MS);
    await eventually(() => mailsTo(who).length === 3);
    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`);
    expect(body.data.map(({ template }: Json) => template)).toEqual(['scheduled_update', 'scheduled_update', 'scheduled_update']);
    const { comments } = (await tenant.rest('GET', `/support/tickets/${ticket.id}/comments`)).body;
    expect(comments).toMatchObject([1, 2, 3].map(() => ({ type: 'customer_update', visibility: 'customer', author: { type: 'system' } })));
    expect(comments[1].content).toContain('in progress');
  });

  test('if several automatic updates of a ticket are overdue, only one update is sent', async () => {
    tenant = await platform.organization();
    const who = contact();
    await makeRule(tenant, { actions: { auto_update_frequency: '5_minutes' } });
    await openTicket(tenant, { contact: who });
    await pass(24 * HOUR_MS);
    await eventually(() => mailsTo(who).length > 0);
    expect(mailsTo(who)).toHaveLength(1);
    await platform.advance(5 * MINUTE_MS);
    await eventually(() => mailsTo(who).length === 2);
  });

  test('no automatic update is sent while a ticket waits for its customer; the next update is sent one interval after the wait', async () => {
    tenant = await platform.organization();
    const who = contact();
    await makeRule(tenant, { actions: { auto_update_frequency: '1_hour' } });
    const ticket = await openTicket(tenant, { contact: who });
    const wait = async (waiting_on_customer: boolean): Promise<void> =>
      expect((await tenant.rest('PUT', `/support/tickets/${ticket.id}`, { body: { waiting_on_customer } })).status).toBe(200);
    await wait(true);
    await pass(2 * HOUR_MS);
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}/comments`)).body.comments).toEqual([]);
    await wait(false);
    await pass(HOUR_MS - MINUTE_MS);
    expect(mailsTo(who)).toEqual([]);
    await platform.advance(MINUTE_MS);
    await eventually(() => mailsTo(who).length === 1);
  });

  test('an automatic update of a ticket without an email address is only a comment and does not count as a response', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { actions: { auto_update_frequency: '1_hour' } });
    const ticket = await openTicket(tenant, { contact: { name: 'Ada' } });
    await pass(HOUR_MS);
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`)).body.data).toEqual([]);
    const { comments } = (await tenant.rest('GET', `/support/tickets/${ticket.id}/comments`)).body;
    expect(comments).toMatchObject([{ type: 'customer_update', author: { type: 'system' } }]);
    expect((await read(ticket)).sla.respondedAt).toBeNull();
  });
});
