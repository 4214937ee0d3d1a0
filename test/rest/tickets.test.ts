import { describe, expect, test } from 'vitest';
import type { Tenant } from '../tenant.ts';
import { problems, ticket, ticketDesk } from './tickets.setup.ts';

const HOUR_MS = 3_600_000;

const { platform, tenant, open, change } = await ticketDesk();

describe('opened tickets', () => {
  test('a new ticket has a number, an assigned agent, due times and every field of the specification', async () => {
    const contact = { name: 'Ada Diaz', email: 'ada@example.com', phone: '+12125550100', role: 'it_manager' };
    const location = { site_id: 'site_hq', address: '350 Fifth Avenue', timezone: 'America/New_York' };
    const sent = {
      ...ticket,
      priority: 'high',
      severity: 'business_impacting',
      category: 'connectivity',
      subcategory: 'outage',
      contact,
      location,
      metadata: { case_no: 7, tags: ['a'] },
    };
    const record = await open(sent);
    expect(record).toMatchObject({
      ...sent,
      status: 'open',
      number: expect.stringMatching(/^TKT-\d+$/),
      customer_id: null,
      service_affected: null,
    });
    expect(record.assigned_to).toMatchObject({ agent_id: expect.stringMatching(/^agent_/), specialization: 'connectivity' });
    expect(record.sla).toEqual({
      response_time: '1 hour',
      resolution_time: '8 hours',
      response_due: hoursAfter(record, 1),
      resolution_due: hoursAfter(record, 8),
    });
    expect(record.urls.self).toBe(`${platform.origin}/v1/support/tickets/${record.id}`);
    const read = await tenant.rest('GET', `/support/tickets/${record.id}`);
    expect(read.status).toBe(200);
    expect(read.body.ticket).toEqual(record);
  });

  test('a ticket that is opened without a priority and category has the priority medium and the category general', async () => {
    expect(await open()).toMatchObject({ priority: 'medium', category: 'general' });
  });

  test('opening a ticket for an unknown customer or service returns 404 RESOURCE_NOT_FOUND', async () => {
    const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Hudson', email: 'it@hudson.example' } })).body.data;
    expect(await open({ customer_id: account.customer_id })).toMatchObject({ customer_id: account.customer_id });
    expect(await open({ service_affected: 'the phone in the lobby' })).toMatchObject({ service_affected: 'the phone in the lobby' });

    const stranger = await platform.organization();
    for (const body of [{ customer_id: account.customer_id }, { service_affected: 'svc_00000000000000000000000000' }]) {
      const refused = await stranger.rest('POST', '/support/tickets', { body: { ...ticket, ...body } });
      expect([refused.status, refused.body.error.code, refused.body.error.details.id]).toEqual([
        404,
        'RESOURCE_NOT_FOUND',
        Object.values(body)[0],
      ]);
    }
    expect((await stranger.rest('GET', '/support/tickets')).body.tickets).toEqual([]);
  });

  test('twelve tickets that are opened concurrently have consecutive numbers', async () => {
    const caller = await platform.organization();
    const records = await Promise.all(Array.from({ length: 12 }, () => open({}, caller)));
    expect(records.map(({ number }) => number).sort()).toEqual(Array.from({ length: 12 }, (_, index) => `TKT-${1001 + index}`));
  });

  test.each([
    ['no fields', {}, ['title', 'description']],
    ['empty texts', { title: '', description: '' }, ['title', 'description']],
    ['a title that is too long', { ...ticket, title: 'x'.repeat(256) }, ['title']],
    ['unknown enum values', { ...ticket, priority: 'urgent' }, ['priority']],
    ['an unknown category', { ...ticket, category: 'plumbing' }, ['category']],
    [
      'a contact without a name and with an invalid email address',
      { ...ticket, contact: { name: '', email: 'nobody' } },
      ['contact.name', 'contact.email'],
    ],
    ['an invalid time zone', { ...ticket, location: { timezone: 'Mars/Olympus' } }, ['location.timezone']],
    ['an offset as time zone', { ...ticket, location: { timezone: '+02:00' } }, ['location.timezone']],
    ['an invalid customer id', { ...ticket, customer_id: 'acc_1' }, ['customer_id']],
    ['an unknown field', { ...ticket, titel: 'typo', sla: {} }, ['titel', 'sla']],
    ['values of the wrong type', { ...ticket, title: 7, metadata: 'none', contact: 'Ada' }, ['title', 'contact', 'metadata']],
    [
      'fields that only the platform sets',
      { ...ticket, status: 'resolved', number: 'TKT-1', organization_id: 'org_1' },
      ['status', 'number', 'organization_id'],
    ],
  ])('opening a ticket with %s returns 400 INVALID_PARAMETERS, names each field and stores no ticket', async (_, body, fields) => {
    const caller = await platform.organization();
    const refused = await caller.rest('POST', '/support/tickets', { body });
    expect(problems(refused)).toEqual([400, 'INVALID_PARAMETERS', expect.arrayContaining(fields)]);
    expect(problems(refused)[2]).toHaveLength(fields.length);
    expect((await caller.rest('GET', '/support/tickets')).body.pagination.total).toBe(0);
  });
});

const hoursAfter = ({ created_at }: { created_at: string }, hours: number) =>
  new Date(Date.parse(created_at) + hours * HOUR_MS).toISOString();

describe('changed tickets', () => {
  test('a ticket can change from open to in_progress, resolved and open again', async () => {
    const { id, number } = await open({ priority: 'low' });
    const started = await change(id, { status: 'in_progress' });
    expect(started.status).toBe(200);
    expect(started.body.ticket).toMatchObject({
      id,
      number,
      status: 'in_progress',
      priority: 'low',
      sla: { response_met: true, escalated: false, escalation_reason: null },
    });
    expect((await change(id, { status: 'resolved' })).body.ticket.status).toBe('resolved');
    expect((await change(id, { status: 'open' })).body.ticket.status).toBe('open');
  });

  test.each([
    ['resolved', ['resolved'], 'in_progress', 'open'],
    ['escalated', ['escalated'], 'open', 'in_progress, resolved'],
  ])(
    'changing the status of a ticket that is %s to a status that is not allowed returns 409 INVALID_STATE',
    async (from, steps, to, allowed) => {
      const { id } = await open();
      for (const status of steps) expect((await change(id, { status })).status).toBe(200);
      const refused = await change(id, { status: to, customer_update: 'not kept' });
      expect(refused.status).toBe(409);
      expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from, to, allowed: allowed.split(', ') } });
      expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket).toMatchObject({ status: from, customer_update: null });
    },
  );

  test('changing the priority of a ticket to critical escalates the ticket and sets earlier due times', async () => {
    const record = await open({ priority: 'low' });
    const { body } = await change(record.id, { priority: 'critical' });
    expect(body.ticket).toMatchObject({
      priority: 'critical',
      sla: { escalated: true, escalation_reason: expect.any(String), resolution_due: hoursAfter(record, 4) },
    });
  });

  test('updating a ticket does not change fields that are not sent', async () => {
    const { id } = await open({ metadata: { a: 1 } });
    await change(id, { customer_update: 'We are on it' });
    await change(id, { internal_notes: 'Line test ordered' });
    const { body } = await tenant.rest('GET', `/support/tickets/${id}`);
    expect(body.ticket).toMatchObject({ customer_update: 'We are on it', metadata: { a: 1 }, status: 'open' });
    expect(JSON.stringify(body)).not.toContain('Line test ordered');
  });

  test('an update with the same values does not change the ETag of the ticket', async () => {
    const { id } = await open();
    const before = await tenant.rest('GET', `/support/tickets/${id}`);
    for (const body of [{}, { status: 'open', priority: 'medium' }]) expect((await change(id, body)).status).toBe(200);
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).headers.get('etag')).toBe(before.headers.get('etag'));
  });

  test('updating a ticket with invalid values returns 400, and with an unknown agent returns 404', async () => {
    const { id } = await open();
    expect(problems(await change(id, { assigned_to: 'somebody', priority: 'urgent' }))).toEqual([
      400,
      'INVALID_PARAMETERS',
      ['assigned_to', 'priority'],
    ]);
    expect(problems(await change(id, { assigned_to: 'somebody' }))).toEqual([400, 'INVALID_PARAMETERS', ['assigned_to']]);
    const nothing = { metadata: null, status: null, priority: null, assigned_to: null, waiting_on_customer: null };
    const refused = problems(await change(id, nothing));
    expect(refused).toEqual([400, 'INVALID_PARAMETERS', expect.arrayContaining(Object.keys(nothing))]);
    expect(refused[2]).toHaveLength(Object.keys(nothing).length);
    expect((await change(id, { assigned_to: 'agent_00000000000000000000000000' })).body.error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'agent' },
    });
  });

  test('three concurrent updates of different ticket fields are all stored', async () => {
    const { id } = await open();
    const responses = await Promise.all([
      change(id, { customer_update: 'A' }),
      change(id, { status: 'in_progress' }),
      change(id, { priority: 'high' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket).toMatchObject({
      customer_update: 'A',
      status: 'in_progress',
      priority: 'high',
    });
  });
});

describe('access to tickets', () => {
  test('reading or changing a ticket of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
    const { id } = await open();
    const stranger = await platform.organization();
    const before = (await tenant.rest('GET', `/support/tickets/${id}`)).body;
    for (const response of [await stranger.rest('GET', `/support/tickets/${id}`), await change(id, { status: 'resolved' }, stranger)]) {
      expect([response.status, response.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body).toEqual(before);
  });

  test('reading, creating or updating tickets without the required permission returns 403', async () => {
    const { id } = await open();
    const reader = await tenant.limitedTo('support:read');
    const creator = await tenant.limitedTo('support:create');
    const writer = await tenant.limitedTo('support:write');
    const none = await tenant.limitedTo('billing:read');
    const calls = {
      read: (caller: Tenant) => caller.rest('GET', `/support/tickets/${id}`),
      list: (caller: Tenant) => caller.rest('GET', '/support/tickets'),
      create: (caller: Tenant) => caller.rest('POST', '/support/tickets', { body: ticket }),
      update: (caller: Tenant) => change(id, { customer_update: 'x' }, caller),
    };
    const statuses = async (caller: Tenant) => Promise.all(Object.values(calls).map(async (call) => (await call(caller)).status));
    expect(await statuses(reader)).toEqual([200, 200, 403, 403]);
    expect(await statuses(creator)).toEqual([403, 403, 201, 403]);
    expect(await statuses(writer)).toEqual([403, 403, 201, 200]);
    expect(await statuses(none)).toEqual([403, 403, 403, 403]);
    expect((await calls.update(reader)).body.error).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required: 'support:write' },
    });
  });
});
