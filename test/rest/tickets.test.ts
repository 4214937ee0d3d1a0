import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Answer, Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };

let platform: Rig;
let tenant: Tenant;

beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const open = async (body: object = {}, caller = tenant) => {
  const answer = await caller.rest('POST', '/support/tickets', { body: { ...ticket, ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.ticket;
};
const change = (id: string, body: object, caller = tenant) => caller.rest('PUT', `/support/tickets/${id}`, { body });
const problems = ({ status, body }: Answer): [number, string, string[]] => [
  status,
  body.error?.code,
  (body.error?.details.errors ?? []).map(({ field }: { field: string }) => field),
];

describe('a ticket that is opened', () => {
  test('is open, numbered, assigned and has its due times, and shows every member of the specification', async () => {
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

  test('is of medium priority and the general category unless it says otherwise', async () => {
    expect(await open()).toMatchObject({ priority: 'medium', category: 'general' });
  });

  test('belongs to an account and is about a service that exist for the caller', async () => {
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

  test('gets a number of its own, also when many are opened at once', async () => {
    const caller = await platform.organization();
    const records = await Promise.all(Array.from({ length: 12 }, () => open({}, caller)));
    expect(records.map(({ number }) => number).sort()).toEqual(Array.from({ length: 12 }, (_, index) => `TKT-${1001 + index}`));
  });

  test.each([
    ['nothing', {}, ['title', 'description']],
    ['empty texts', { title: '', description: '' }, ['title', 'description']],
    ['a title that is too long', { ...ticket, title: 'x'.repeat(256) }, ['title']],
    ['words that are none of the allowed', { ...ticket, priority: 'urgent' }, ['priority']],
    ['an unknown category', { ...ticket, category: 'plumbing' }, ['category']],
    [
      'a contact without a name and with a wrong address',
      { ...ticket, contact: { name: '', email: 'nobody' } },
      ['contact.name', 'contact.email'],
    ],
    ['a zone that is none', { ...ticket, location: { timezone: 'Mars/Olympus' } }, ['location.timezone']],
    ['a customer id that is none', { ...ticket, customer_id: 'acc_1' }, ['customer_id']],
    ['a member that there is not', { ...ticket, titel: 'typo', sla: {} }, ['titel', 'sla']],
    ['values of the wrong type', { ...ticket, title: 7, metadata: 'none', contact: 'Ada' }, ['title', 'contact', 'metadata']],
    [
      'what only the platform sets',
      { ...ticket, status: 'resolved', number: 'TKT-1', organization_id: 'org_1' },
      ['status', 'number', 'organization_id'],
    ],
  ])('with %s is refused naming each member, and nothing is kept', async (_, body, fields) => {
    const caller = await platform.organization();
    const refused = await caller.rest('POST', '/support/tickets', { body });
    expect(problems(refused)).toEqual([400, 'INVALID_PARAMETERS', expect.arrayContaining(fields)]);
    expect(problems(refused)[2]).toHaveLength(fields.length);
    expect((await caller.rest('GET', '/support/tickets')).body.pagination.total).toBe(0);
  });
});

const hoursAfter = ({ created_at }: { created_at: string }, hours: number) =>
  new Date(Date.parse(created_at) + hours * HOUR_MS).toISOString();

describe('a ticket that is changed', () => {
  test('goes through its states, and shows what the specification shows', async () => {
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
  ])('cannot leave %s for what its state machine has not', async (from, steps, to, allowed) => {
    const { id } = await open();
    for (const status of steps) expect((await change(id, { status })).status).toBe(200);
    const refused = await change(id, { status: to, customer_update: 'not kept' });
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from, to, allowed: allowed.split(', ') } });
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket).toMatchObject({ status: from, customer_update: null });
  });

  test('to critical is escalated and due sooner', async () => {
    const record = await open({ priority: 'low' });
    const { body } = await change(record.id, { priority: 'critical' });
    expect(body.ticket).toMatchObject({
      priority: 'critical',
      sla: { escalated: true, escalation_reason: expect.any(String), resolution_due: hoursAfter(record, 4) },
    });
  });

  test('keeps what the change does not name', async () => {
    const { id } = await open({ metadata: { a: 1 } });
    await change(id, { customer_update: 'We are on it' });
    await change(id, { internal_notes: 'Line test ordered' });
    const { body } = await tenant.rest('GET', `/support/tickets/${id}`);
    expect(body.ticket).toMatchObject({ customer_update: 'We are on it', metadata: { a: 1 }, status: 'open' });
    expect(JSON.stringify(body)).not.toContain('Line test ordered');
  });

  test('in nothing stays as it was, its time of change too', async () => {
    const { id } = await open();
    const before = await tenant.rest('GET', `/support/tickets/${id}`);
    for (const body of [{}, { status: 'open', priority: 'medium' }]) expect((await change(id, body)).status).toBe(200);
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).headers.get('etag')).toBe(before.headers.get('etag'));
  });

  test('is refused for an agent or values that are none', async () => {
    const { id } = await open();
    expect(problems(await change(id, { assigned_to: 'somebody', priority: 'urgent' }))).toEqual([400, 'INVALID_PARAMETERS', ['priority']]);
    expect(problems(await change(id, { assigned_to: 'somebody' }))).toEqual([400, 'INVALID_PARAMETERS', ['assigned_to']]);
    expect(problems(await change(id, { metadata: null, status: null }))).toEqual([
      400,
      'INVALID_PARAMETERS',
      expect.arrayContaining(['metadata', 'status']),
    ]);
    expect((await change(id, { assigned_to: 'agent_00000000000000000000000000' })).body.error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'agent' },
    });
  });

  test('twice at once loses neither change', async () => {
    const { id } = await open();
    const answers = await Promise.all([
      change(id, { customer_update: 'A' }),
      change(id, { status: 'in_progress' }),
      change(id, { priority: 'high' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket).toMatchObject({
      customer_update: 'A',
      status: 'in_progress',
      priority: 'high',
    });
  });
});

describe('the list', () => {
  test('is filtered, sorted and paged, by page and by cursor alike', async () => {
    const caller = await platform.organization();
    const priorities = ['low', 'high', 'critical', 'high', 'medium'];
    const records = [];
    for (const priority of priorities) records.push(await open({ priority, category: priority === 'low' ? 'billing' : 'voice' }, caller));
    await change(records[1].id, { status: 'in_progress' }, caller);
    const ids = async (query: string) =>
      (await caller.rest('GET', `/support/tickets?${query}`)).body.tickets.map(({ id }: { id: string }) => id);
    const [low, high, critical, other, medium] = records.map(({ id }) => id);

    expect(await ids('')).toEqual([medium, other, critical, high, low]);
    expect(await ids('priority=high&sort=created_at:asc')).toEqual([high, other]);
    expect(await ids('sort=priority:desc,created_at:asc')).toEqual([critical, high, other, medium, low]);
    expect(await ids('status=open,in_progress&priority=high,critical&sort=created_at')).toEqual([high, critical, other]);
    expect(await ids('status=in_progress&status=resolved')).toEqual([high]);
    expect(await ids('category=billing')).toEqual([low]);
    expect(await ids('page=2&limit=2')).toEqual([critical, high]);
    expect((await caller.rest('GET', '/support/tickets?limit=2')).body.pagination).toMatchObject({
      total: 5,
      page: 1,
      limit: 2,
      pages: 3,
      has_more: true,
    });

    const walked: string[] = [];
    let cursor = '';
    do {
      const { body } = await caller.rest('GET', `/support/tickets?sort=title:asc&limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.tickets.map(({ id }: { id: string }) => id));
      // what is added meanwhile does not move the cursor
      if (!cursor) await open({ title: 'A first one' }, caller);
      cursor = body.pagination.next_cursor ?? '';
    } while (cursor);
    expect(walked.sort()).toEqual([low, high, critical, other, medium].sort());
  });

  test.each([
    'limit=0',
    'limit=201',
    'page=0',
    'page=1&cursor=x',
    'cursor=nonsense',
    'sort=colour:asc',
    'sort=title:sideways',
    'status=closed',
    'customer=cust_1',
    'created_after=yesterday',
  ])('with %s is refused', async (query) => {
    const refused = await tenant.rest('GET', `/support/tickets?${query}`);
    expect(problems(refused).slice(0, 2)).toEqual([400, 'INVALID_PARAMETERS']);
  });

  test('with a cursor that somebody made up is refused, whatever stands in it', async () => {
    const caller = await platform.organization();
    await open({}, caller);
    await open({}, caller);
    const { body } = await caller.rest('GET', '/support/tickets?limit=1');
    const [signature] = JSON.parse(Buffer.from(body.pagination.next_cursor, 'base64url').toString());
    const made = (...values: unknown[]) => Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
    for (const cursor of [
      made('garbage', 'x'),
      made({ $re: 'a' }, 'x'),
      made(null, 'x'),
      made(body.tickets[0].created_at, { $in: ['a'] }),
      made(7, 'x'),
    ]) {
      expect(problems(await caller.rest('GET', `/support/tickets?limit=1&cursor=${cursor}`))).toEqual([
        400,
        'INVALID_PARAMETERS',
        ['cursor'],
      ]);
    }
    expect(
      (await caller.rest('GET', `/support/tickets?limit=1&cursor=${made(body.tickets[0].created_at, body.tickets[0].id)}`)).status,
    ).toBe(200);
  });

  test('is searched by a body, or the same structure in the query', async () => {
    const caller = await platform.organization();
    const record = await open({ priority: 'high' }, caller);
    await open({ priority: 'low' }, caller);
    const body = {
      filters: { status: ['open'], priority: ['high', 'critical'] },
      sort: { field: 'created_at', order: 'desc' },
      pagination: { page: 1, limit: 50 },
    };
    for (const answer of [
      await caller.rest('POST', '/support/tickets/search', { body }),
      await caller.rest(
        'GET',
        '/support/tickets/search?filters[status][]=open&filters[priority]=high&sort[field]=created_at&sort[order]=desc',
      ),
    ]) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body.tickets.map(({ id }: { id: string }) => id)).toEqual([record.id]);
      expect(answer.body.pagination).toMatchObject({ total: 1, page: 1, limit: 50, pages: 1 });
    }
  });
});

describe('access', () => {
  test('another organization’s ticket reads as absent, whatever is done to it', async () => {
    const { id } = await open();
    const stranger = await platform.organization();
    const before = (await tenant.rest('GET', `/support/tickets/${id}`)).body;
    for (const answer of [await stranger.rest('GET', `/support/tickets/${id}`), await change(id, { status: 'resolved' }, stranger)]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body).toEqual(before);
  });

  test('each operation asks for its permission', async () => {
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

describe('the timeline', () => {
  const timelineOf = async (id: string, caller = tenant) => (await caller.rest('GET', `/support/tickets/${id}/timeline`)).body;

  test('has every change, newest first: what, from, to, by whom and when', async () => {
    const { id, created_at } = await open();
    await platform.advance(1_000);
    await change(id, { status: 'in_progress', customer_update: '7' });
    const { timeline, pagination } = await timelineOf(id);
    const actor = { kind: 'api_key', id: expect.stringMatching(/^ak_/) };
    expect(timeline.slice(0, 2).toSorted(byMember)).toEqual([
      { id: expect.stringMatching(/^tchg_/), member: 'customer_update', from: null, to: '7', actor, created_at: expect.any(String) },
      { id: expect.any(String), member: 'status', from: 'open', to: 'in_progress', actor, created_at: expect.any(String) },
    ]);
    expect(
      timeline
        .slice(2)
        .map((entry: Json) => [entry.member, entry.from, entry.created_at])
        .toSorted(),
    ).toEqual([
      ['assigned_to', null, created_at],
      ['status', null, created_at],
    ]);
    expect(pagination.total).toBe(4);
    const { data, errors } = await tenant.graphql('query($id: ID!) { ticket(id: $id) { timeline(limit: 2) { id to } } }', { id });
    expect(errors).toBeUndefined();
    expect(data.ticket.timeline).toEqual(timeline.slice(0, 2).map((entry: Json) => ({ id: entry.id, to: entry.to })));
  });

  test('is paged, and is 404 of another organization’s ticket', async () => {
    const { id } = await open();
    await change(id, { priority: 'high' });
    const { timeline } = await timelineOf(id);
    const { body } = await tenant.rest('GET', `/support/tickets/${id}/timeline?limit=1&page=2`);
    expect(body.timeline).toEqual(timeline.slice(1, 2));
    expect((await (await platform.organization()).rest('GET', `/support/tickets/${id}/timeline`)).status).toBe(404);
  });

  test('shows customers what the ticket shows them, and nothing of the desk’s', async () => {
    const { id } = await open();
    await change(id, { priority: 'high', metadata: { case: 7 } });
    await (await rows()).query(
      `insert into "support"."ticket_change" select 'tchg_internal', "organization_id", "ticket_id", 'routed_by', 'internal', null, '"rule_1"', 'system', 'support.routing', "created_at"
       from "support"."ticket_change" where "ticket_id" = $1 limit 1`,
      [id],
    );
    const customer = await tenant.limitedTo('support:read');
    const members = async (caller: Tenant) => (await timelineOf(id, caller)).timeline.map(({ member }: Json) => member).toSorted();
    expect(await members(tenant)).toEqual(['assigned_to', 'metadata', 'priority', 'routed_by', 'status']);
    expect(await members(customer)).toEqual(['assigned_to', 'metadata', 'priority', 'status']);
    const { data } = await customer.graphql('query($id: ID!) { ticket(id: $id) { timeline { member } } }', { id });
    expect(JSON.stringify(data)).not.toContain('routed_by');
  });
});

const byMember = (one: Json, other: Json): number => one.member.localeCompare(other.member);

describe('two agents at once', () => {
  const conditionally = (id: string, etag: string, body: object) =>
    tenant.rest('PUT', `/support/tickets/${id}`, { body, headers: { 'if-match': etag } });
  const tagOf = async (id: string) => (await tenant.rest('GET', `/support/tickets/${id}`)).headers.get('etag') ?? '';

  test('who both saw the same ticket: one change is taken, the others are 409 and change nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await open();
      const etag = await tagOf(id);
      const answers = await Promise.all(['A', 'B', 'C', 'D'].map((text) => conditionally(id, etag, { customer_update: text })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
      const current = await tagOf(id);
      for (const { status, body } of answers)
        if (status === 409) expect(body.error).toMatchObject({ code: 'STALE_RESOURCE', details: { current } });
      const { timeline } = (await tenant.rest('GET', `/support/tickets/${id}/timeline`)).body;
      expect(timeline.filter(({ member }: Json) => member === 'customer_update')).toHaveLength(1);
      expect((await conditionally(id, current, { customer_update: 'E' })).status).toBe(200);
    }
  });

  test('in GraphQL state the revision that they saw', async () => {
    const { id, revision } = await open();
    const query =
      'mutation($id: ID!, $to: TicketPriority!, $seen: Int) { updateTicket(id: $id, input: { priority: $to }, expectedRevision: $seen) { revision } }';
    const first = await tenant.graphql(query, { id, to: 'HIGH', seen: revision });
    expect(first.data.updateTicket.revision).toBeGreaterThan(revision);
    const { errors } = await tenant.graphql(query, { id, to: 'LOW', seen: revision });
    expect(errors).toMatchObject([{ extensions: { code: 'STALE_RESOURCE' } }]);
    expect((await tenant.graphql(query, { id, to: 'LOW' })).errors).toBeUndefined();
    expect((await change(id, { expected_revision: 1 })).body.error.details.field).toBe('expected_revision');
  });

  test('a comment is a change that the other agent did not see', async () => {
    const { id } = await open();
    const etag = await tagOf(id);
    await tenant.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'On it' } });
    expect((await conditionally(id, etag, { status: 'resolved' })).status).toBe(409);
  });
});
