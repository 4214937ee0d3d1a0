import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import type { Mail } from '../../kernel/mail.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { makeRule, openTicket } from './routing.setup.ts';

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
/** What the sweeper would find due by now, once it has been there: nothing. */
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

describe('escalate_after', () => {
  test('escalates a ticket that is not resolved in time, once, and says why', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { rule_name: 'Quick', actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await pass(29 * MINUTE_MS);
    expect(await levelOf(ticket)).toBe(0);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await levelOf(ticket)) === 1);
    expect(await read(ticket)).toMatchObject({
      status: 'ESCALATED',
      sla: { escalationReason: 'Routing rule “Quick”: not resolved within 30 minutes', respondedAt: null },
    });
    await pass(HOUR_MS);
    expect(await levelOf(ticket)).toBe(1);
    const events = await eventually(async () => {
      const found = await eventsOf(ticket, 'ticket.escalated');
      return found.length > 0 && found;
    });
    expect(events).toMatchObject([{ data: { changes: { escalation_level: { from: 0, to: 1 } } } }]);
  });

  test('raises one that was escalated by hand one more level', async () => {
    tenant = await platform.organization();
    await makeRule(tenant, { actions: { escalate_after: '1_hour' } });
    const ticket = await openTicket(tenant);
    await move(ticket, 'escalated');
    const before = await levelOf(ticket);
    await platform.advance(HOUR_MS);
    await eventually(async () => (await levelOf(ticket)) === before + 1);
  });

  test('ends with the resolution, and counts anew from the reopening', async () => {
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
  ])('does nothing when its rule %s', async (_, change) => {
    tenant = await platform.organization();
    const who = contact();
    const rule = await makeRule(tenant, { actions: { escalate_after: '30_minutes', auto_update_frequency: '15_minutes' } });
    const ticket = await openTicket(tenant, { contact: who });
    expect((await change(`/support/routing-rules/${rule.id}`)).status).toBe(200);
    await pass(2 * HOUR_MS);
    expect(await read(ticket)).toMatchObject({ status: 'OPEN', sla: { escalationLevel: 0 } });
    expect(mailsTo(who)).toEqual([]);
  });

  test('keeps the time that its rule had when the ticket was opened', async () => {
    tenant = await platform.organization();
    const rule = await makeRule(tenant, { actions: { escalate_after: '30_minutes' } });
    const ticket = await openTicket(tenant);
    await tenant.rest('PUT', `/support/routing-rules/${rule.id}`, { body: { actions: { escalate_after: '8_hours' } } });
    await platform.advance(30 * MINUTE_MS);
    await eventually(async () => (await levelOf(ticket)) === 1);
  });
});

describe('auto_update_frequency', () => {
  test('tells the contact how the ticket stands, every so often until it is resolved', async () => {
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

  test('does not make up for what was missed', async () => {
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

  test('of a ticket without an address to write to is a comment, and no answer', async () => {
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
