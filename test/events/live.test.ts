import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';
import { receiver } from './receiver.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const EVENTS =
  'subscription($patterns: [String!], $after: ID) { events(patterns: $patterns, after: $after) { id event timestamp payload } }';
const openTicket = async (tenant: Tenant, members: object = {}): Promise<Json> =>
  (await tenant.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Dead.', ...members } })).body.ticket;

/** Creates an event and returns its id, to subscribe to all later events. */
async function firstEvent(tenant: Tenant): Promise<string> {
  await openTicket(tenant);
  return eventually(async () => (await tenant.graphql('{ events(page: { limit: 1 }) { nodes { id } } }')).data.events.nodes[0]?.id);
}

describe('events subscription', () => {
  test('the events subscription delivers each event live and resumes without lost or repeated events', async () => {
    const tenant = await platform.organization();
    const after = await firstEvent(tenant);
    const before = follow(tenant, EVENTS, { after });
    const numbers = [(await openTicket(tenant)).number];
    await eventually(() => before.of('events').length === 1);
    before.leave();
    for (let index = 0; index < 3; index += 1) numbers.push((await openTicket(tenant)).number);

    const back = follow(tenant, EVENTS, { after: before.of('events')[0].id });
    await eventually(() => back.of('events').length === 3);
    numbers.push((await openTicket(tenant)).number);
    await eventually(() => back.of('events').length === 4);
    const seen = [...before.of('events'), ...back.of('events')].map(({ payload }) => JSON.parse(payload).data.ticket.number);
    expect(seen).toEqual(numbers);
  });

  test('the payload of the events subscription equals the webhook body without the signature field', async () => {
    const tenant = await platform.organization();
    const hook = await receiver();
    await tenant.rest('POST', '/webhooks', { body: { url: hook.url, events: ['*'] } });
    const live = follow(tenant, EVENTS, { after: await firstEvent(tenant) });
    await openTicket(tenant, { title: 'Ünïcode "title" \u2028' });
    const event = await eventually(() => live.of('events')[0]);
    const arrival = await eventually(() => hook.arrivals.find(({ headers }) => headers['webhook-id'] === event.id));
    expect(arrival.text.replace(/,"signature":"sha256=[0-9a-f]{64}"}$/, '}')).toBe(event.payload);
  });

  test('the events subscription can select fields of the event subject, such as a ticket, from other subgraphs', async () => {
    const tenant = await platform.organization();
    const query =
      'subscription($after: ID) { events(after: $after, patterns: ["ticket.*"]) { event data subject { __typename ... on Ticket { id title sla { timeRemaining } account { companyName: name } } } } }';
    const live = follow(tenant, query, { after: await firstEvent(tenant) });
    const opened = await openTicket(tenant, { title: 'Router is on fire' });
    const event = await eventually(() => live.of('events')[0]);
    expect(live.results[0]?.errors).toBeUndefined();
    expect(event).toMatchObject({
      event: 'ticket.created',
      data: { ticket: { id: opened.id } },
      subject: { __typename: 'Ticket', id: opened.id, title: 'Router is on fire', account: null },
    });
  });

  test("the events subscription delivers only events of the caller's organization that the caller may read", async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const after = await firstEvent(tenant);
    const billing = follow(await tenant.limitedTo('webhooks:read', 'billing:read'), EVENTS, { after });
    const all = follow(tenant, EVENTS, { after });
    await openTicket(other);
    const { number } = await openTicket(tenant);
    await eventually(() => all.of('events').length > 0);
    expect(all.of('events').map(({ payload }) => JSON.parse(payload).data.ticket?.number)).toEqual([number]);
    expect(billing.results).toEqual([]);
    expect(billing.isDone()).toBe(false);
  });

  test.each([
    [{ patterns: ['ticket.exploded'] }, 'INVALID_PARAMETERS', 'patterns.0'],
    [{ after: 'evt_unknown' }, 'INVALID_PARAMETERS', 'after'],
  ])('the events subscription returns INVALID_PARAMETERS for %j', async (variables, code, field) => {
    const refused = follow(await platform.organization(), EVENTS, variables);
    const result = await eventually(() => refused.results[0]);
    expect(result.errors?.[0]?.extensions).toMatchObject({ code, details: { field } });
    await eventually(() => refused.isDone());
  });

  test('the events subscription returns INSUFFICIENT_PERMISSIONS to a caller without webhooks:read', async () => {
    const tenant = await platform.organization();
    const refused = follow(await tenant.limitedTo('support:read'), EVENTS);
    const result = await eventually(() => refused.results[0]);
    expect(result.errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'webhooks:read' } });
  });
});

describe('event log queries', () => {
  test('the events query can be filtered by name, subject and time, and returns its results in pages, newest first', async () => {
    const tenant = await platform.organization();
    const tickets = [await openTicket(tenant), await openTicket(tenant)];
    await tenant.rest('PUT', `/support/tickets/${tickets[0].id}`, { body: { status: 'in_progress' } });
    const read = async (filter: object, page: object = {}): Promise<Json> => {
      const { data, errors } = await tenant.graphql(
        'query($filter: EventFilter, $page: PageInput) { events(filter: $filter, page: $page) { nodes { id event subjectId } pageInfo { total hasMore nextCursor } } }',
        { filter, page },
      );
      expect(errors).toBeUndefined();
      return data.events;
    };
    const { nodes } = await eventually(async () => {
      const events = await read({});
      return events.nodes.length === 3 && events;
    });
    expect(nodes.map(({ event }: Json) => event)).toEqual(['ticket.updated', 'ticket.created', 'ticket.created']);
    expect((await read({ event: ['ticket.updated'] })).nodes).toEqual([nodes[0]]);
    expect((await read({ subjectId: [tickets[1].id] })).nodes).toEqual([nodes[1]]);
    expect((await read({ after: nodes[2].id })).nodes).toEqual(nodes.slice(0, 2));
    expect((await read({ occurredAfter: new Date(platform.clock.now().getTime() + 60_000) })).nodes).toEqual([]);
    const first = await read({}, { limit: 2 });
    expect(first.pageInfo).toMatchObject({ total: 3, hasMore: true });
    expect((await read({}, { limit: 2, cursor: first.pageInfo.nextCursor })).nodes).toEqual(nodes.slice(2));
  });

  test('the events query returns neither events of another organization nor events that the caller may not read', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const id = await firstEvent(tenant);
    const query = 'query($id: ID!) { event(id: $id) { id } events { nodes { id } } }';
    expect((await other.graphql(query, { id })).data).toEqual({ event: null, events: { nodes: [] } });
    const limited = await tenant.limitedTo('webhooks:read', 'billing:read');
    expect((await limited.graphql(query, { id })).data).toEqual({ event: null, events: { nodes: [] } });
    expect((await tenant.graphql(query, { id })).data.event).toEqual({ id });
  });
});
