import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { eventsWhen, slaOf } from '../support/sla.setup.ts';
import type { Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const escalate = (id: string, body: object, caller = tenant) => caller.rest('POST', `/support/tickets/${id}/escalate`, { body });

test('escalating a ticket raises its escalation level, mails the recipients, and stores the reason and an internal comment', async () => {
  const { id, number } = await open(tenant, { title: 'No calls come in' });
  await change(tenant, id, { priority: 'critical' });
  const sent = {
    escalation_level: 2,
    reason: 'The customer cannot take orders',
    notify: ['duty.manager@example.com', 'noc@example.com', 'noc@example.com'],
    metadata: { bridge: 'https://meet.example.com/1' },
    comments: 'A line test found nothing',
  };
  const { status, body } = await escalate(id, sent);
  expect([status, body.success, body.data]).toMatchObject([
    200,
    true,
    { id, number, status: 'escalated', sla: { escalated: true, escalation_level: 2, escalation_reason: sent.reason } },
  ]);
  expect(JSON.stringify(body)).not.toContain(sent.comments);
  expect((await slaOf(tenant, id)).escalation).toMatchObject({
    current_level: 2,
    escalated_at: expect.any(String),
    escalation_reason: sent.reason,
  });

  const [first, second] = await eventsWhen(tenant, id, 2, 'ticket.escalated');
  expect(first.data.changes.escalation_level).toEqual({ from: 0, to: 1 });
  expect(second.data).toMatchObject({
    ticket: { id, number, status: 'escalated', escalation_level: 2, escalation_reason: sent.reason },
    changes: { escalation_level: { from: 1, to: 2 }, status: { from: 'open', to: 'escalated' } },
  });

  const mails = await eventually(() => {
    const own = platform.mails.filter(({ subject }) => subject.includes('No calls come in'));
    return own.length >= 2 && own;
  });
  expect(mails.map(({ to }) => to).sort()).toEqual(['duty.manager@example.com', 'noc@example.com']);
  expect(mails[0]?.subject).toContain(number);
  for (const part of [sent.reason, 'escalated', 'critical', `/console/tickets/${id}`]) expect(mails[0]?.text).toContain(part);
  expect(mails[0]?.text).not.toContain(sent.comments);
  const { body: commentList } = await tenant.rest('GET', `/support/tickets/${id}/comments`);
  expect(commentList.comments).toMatchObject([{ content: sent.comments, type: 'internal_note', visibility: 'internal' }]);
  const { body: notificationList } = await tenant.rest('GET', `/support/tickets/${id}/notifications`);
  expect(notificationList.notifications ?? notificationList.data).toMatchObject([{ template: 'ticket_escalated' }]);

  const query = 'query($id: ID!) { ticket(id: $id) { escalations { level reason comments notify metadata actorKind } } }';
  const { data } = await tenant.graphql(query, { id });
  expect(data.ticket.escalations).toEqual([
    {
      level: 2,
      reason: sent.reason,
      comments: sent.comments,
      notify: ['duty.manager@example.com', 'noc@example.com'],
      metadata: sent.metadata,
      actorKind: 'api_key',
    },
    { level: 1, reason: 'Priority set to critical', comments: null, notify: [], metadata: {}, actorKind: 'api_key' },
  ]);

  // a customer cannot read escalations, because they contain internal comments
  const customer = await tenant.limitedTo('support:read');
  const refused = await customer.graphql(query, { id });
  expect(refused.errors?.[0]?.extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
  expect(JSON.stringify(refused)).not.toContain(sent.comments);
});

test('escalating a ticket to a lower or equal level, or escalating a resolved ticket, returns 409 INVALID_STATE with the allowed values', async () => {
  const { id } = await open(tenant);
  expect((await escalate(id, { escalation_level: 3 })).body.data.sla).toMatchObject({
    escalation_level: 3,
    escalation_reason: 'Escalated to level 3',
  });
  for (const level of [3, 1]) {
    const refused = await escalate(id, { escalation_level: level });
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'INVALID_STATE', details: { from: 3, to: level, allowed: [4, 5] } },
    ]);
  }
  await change(tenant, id, { status: 'resolved' });
  const refused = await escalate(id, { escalation_level: 4 });
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    { code: 'INVALID_STATE', details: { from: 'resolved', to: 'escalated' } },
  ]);
  expect((await slaOf(tenant, id)).escalation.current_level).toBe(3);
});

describe('setting the ticket priority to critical', () => {
  const levels = async (id: string): Promise<number[]> => {
    const { data } = await tenant.graphql('query($id: ID!) { ticket(id: $id) { escalations { level } } }', { id });
    return data.ticket.escalations.map(({ level }: { level: number }) => level);
  };

  test('setting the priority of a ticket to critical escalates the ticket, and repeating the request changes nothing', async () => {
    const { id, revision } = await open(tenant, { priority: 'critical' });
    expect((await slaOf(tenant, id)).escalation).toMatchObject({ current_level: 0, escalation_reason: null });
    const { sla } = await change(tenant, id, { priority: 'critical' });
    expect(sla).toMatchObject({ escalated: true, escalation_reason: 'Priority set to critical' });
    const [escalated] = await eventsWhen(tenant, id, 1, 'ticket.escalated');
    expect(escalated.data.changes).toEqual({ escalation_level: { from: 0, to: 1 } });

    expect((await change(tenant, id, { priority: 'critical' })).sla).toEqual(sla);
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.revision).toBe(revision + 1);
    expect(await levels(id)).toEqual([1]);
  });

  test('each change of a ticket from a lower priority to critical raises its escalation level by one', async () => {
    const { id } = await open(tenant, { priority: 'high' });
    await change(tenant, id, { priority: 'critical' });
    await change(tenant, id, { priority: 'low' });
    expect((await change(tenant, id, { priority: 'critical' })).sla.escalated).toBe(true);
    expect(await levels(id)).toEqual([2, 1]);
  });

  test.each(['low', 'critical'])(
    'setting the priority of a resolved ticket from %s to critical returns 409 unless the same request reopens the ticket',
    async (priority) => {
      const { id } = await open(tenant, { priority });
      await change(tenant, id, { status: 'resolved' });
      const refused = await tenant.rest('PUT', `/support/tickets/${id}`, { body: { priority: 'critical' } });
      expect([refused.status, refused.body.error]).toMatchObject([
        409,
        { code: 'INVALID_STATE', details: { from: 'resolved', to: 'escalated', allowed: ['open'] } },
      ]);
      expect((await slaOf(tenant, id)).escalation.current_level).toBe(0);
      expect((await change(tenant, id, { status: 'open', priority: 'critical' })).sla.escalated).toBe(true);
      // an escalated ticket can be resolved in the same update, and later updates can repeat its priority
      expect((await change(tenant, id, { status: 'resolved', priority: 'critical' })).sla.escalated).toBe(true);
      expect((await change(tenant, id, { priority: 'critical' })).status).toBe('resolved');
      expect(await levels(id)).toEqual([1]);
    },
  );
});

test('of three concurrent escalations of a ticket to the same level, one returns 200 and two return 409', async () => {
  const { id } = await open(tenant);
  const responses = await Promise.all([1, 1, 1].map((level) => escalate(id, { escalation_level: level })));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test('setting the status of a ticket to escalated raises its escalation level and does not count as a response', async () => {
  const { id } = await open(tenant);
  await change(tenant, id, { status: 'escalated' });
  const { escalation, response_time } = await slaOf(tenant, id);
  expect(escalation).toMatchObject({ current_level: 1, escalation_reason: expect.any(String) });
  // an escalation is not a response to the customer
  expect(response_time.status).toBe('pending');
});

test.each([
  ['no level', {}, 'escalation_level'],
  ['a level that does not exist', { escalation_level: 6 }, 'escalation_level'],
  ['invalid email addresses', { escalation_level: 1, notify: ['duty manager'] }, 'notify'],
  ['metadata that is not an object', { escalation_level: 1, metadata: 'x' }, 'metadata'],
  ['an unknown field', { escalation_level: 1, level: 1 }, 'level'],
])('escalating a ticket with %s returns 400 INVALID_PARAMETERS and names the field', async (_, body, field) => {
  const { id } = await open(tenant);
  const refused = await escalate(id, body);
  expect([refused.status, refused.body.error.code, refused.body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', field]);
  expect((await slaOf(tenant, id)).escalation.current_level).toBe(0);
});
