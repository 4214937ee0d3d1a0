import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';
import { FAILING, receiver } from './receiver.ts';
import { SseClient } from './sse.client.ts';
import { deliveriesOf, openTicket, subscribe } from './webhooks.setup.ts';

const NOTE = 'ticket.note_added';
const SECRET = 'Line test ordered';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

/** A key of support staff, and a key of a customer with all permissions that customers may have. */
async function parties(): Promise<{ desk: Tenant; customer: Tenant }> {
  const desk = await platform.organization({ plan: 'custom' });
  return { desk, customer: await desk.limitedTo('support:read', 'support:create', 'webhooks:*') };
}
const postComment = async (desk: Tenant, ticketId: string, body: object): Promise<Json> => {
  const response = await desk.rest('POST', `/support/tickets/${ticketId}/comments`, { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.comment;
};
/** Posts an internal comment and then a comment that customers may read. */
async function noteAndReply(desk: Tenant, ticketId: string): Promise<void> {
  await postComment(desk, ticketId, { content: SECRET, visibility: 'internal' });
  await postComment(desk, ticketId, { content: 'On it' });
}
const namesOf = async (by: Tenant, filter = '{}'): Promise<string[]> =>
  (await by.graphql(`{ events(filter: ${filter}) { nodes { event } } }`)).data.events.nodes.map(({ event }: Json) => event);
const idOf = (by: Tenant, name: string): Promise<string> =>
  eventually(async () => (await by.graphql(`{ events(filter: { event: ["${name}"] }) { nodes { id } } }`)).data.events.nodes[0]?.id);

test('a comment.added event contains the comment, its attachments and its ticket', async () => {
  const { desk } = await parties();
  const hook = await receiver();
  await subscribe(desk, { url: hook.url, events: ['comment.added'] });
  const ticket = await openTicket(desk);
  const comment = await postComment(desk, ticket.id, {
    content: 'On it',
    attachments: [{ filename: 'a.txt', content_type: 'text/plain', data: 'YQo=' }],
  });
  const { event } = await eventually(() => hook.arrivals[0]);
  const { metadata: _, ...expected } = comment;
  expect(event.data.comment).toEqual(expected);
  expect(event.data.ticket).toMatchObject({ id: ticket.id, updated_at: comment.created_at });
});

describe('events of internal comments', () => {
  test('only support staff can list and read events of internal comments, and filtering by their name fails for customers', async () => {
    const { desk, customer } = await parties();
    const { id } = await openTicket(desk);
    await noteAndReply(desk, id);
    const note = await idOf(desk, NOTE);
    await idOf(customer, 'comment.added');
    expect(await namesOf(desk)).toContain(NOTE);
    expect((await namesOf(customer)).toSorted()).toEqual(['comment.added', 'ticket.created']);
    const { errors } = await customer.graphql(`{ events(filter: { event: ["${NOTE}"] }) { nodes { event } } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:write' } } }]);
    const query = `query($id: ID!) { event(id: $id) { event subject { ... on Ticket { id } } ticket { id } } }`;
    expect((await customer.graphql(query, { id: note })).data.event).toBeNull();
    expect((await desk.graphql(query, { id: note })).data.event).toEqual({ event: NOTE, subject: { id }, ticket: { id } });
  });

  test('live subscriptions and the event stream deliver events of internal comments only to support staff', async () => {
    const { desk, customer } = await parties();
    const { id } = await openTicket(desk);
    await idOf(desk, 'ticket.created');
    const TYPED = 'subscription { ticketUpdated { event } }';
    const ALL = 'subscription { events { event payload } }';
    const PATTERN = 'subscription { events(patterns: ["ticket.*", "support.*", "*"]) { event payload } }';
    const followed = {
      typed: [follow(desk, TYPED), follow(customer, TYPED)],
      all: [follow(desk, ALL), follow(customer, ALL)],
      pattern: [follow(desk, PATTERN), follow(customer, PATTERN)],
    } as const;
    const streams = [await SseClient.open(desk), await SseClient.open(customer)] as const;
    // each subscription has started when it has delivered an event
    const namesFrom = ([one, other]: readonly { of(field: string): Json[] }[], field: string) =>
      [one, other].map((each) => each?.of(field).map(({ event }) => event) ?? []);
    await eventually(async () => {
      await postComment(desk, id, { content: 'Anybody there?' });
      const all = [
        ...namesFrom(followed.typed, 'ticketUpdated'),
        ...namesFrom(followed.all, 'events'),
        ...namesFrom(followed.pattern, 'events'),
        ...streams.map(({ frames }) => frames),
      ];
      return all.every(({ length }) => length > 0);
    });
    await noteAndReply(desk, id);
    await postComment(desk, id, { content: 'last' });
    const last = ({ payload }: Json) => JSON.parse(payload).data.comment.content === 'last';
    for (const each of [...followed.all, ...followed.pattern]) await eventually(() => each.of('events').some(last));
    await eventually(() =>
      namesFrom(followed.typed, 'ticketUpdated').every((names) => names.filter((name) => name === 'comment.added').length >= 3),
    );
    for (const { frames } of streams) await eventually(() => frames.some(({ data }) => JSON.parse(data).data.comment.content === 'last'));

    expect(namesFrom(followed.typed, 'ticketUpdated').map((names) => names.includes(NOTE))).toEqual([true, false]);
    expect(namesFrom(followed.all, 'events').map((names) => names.includes(NOTE))).toEqual([true, false]);
    // patterns do not match events of internal comments; only the exact event name does
    expect(namesFrom(followed.pattern, 'events').map((names) => names.includes(NOTE))).toEqual([false, false]);
    expect(streams.map(({ frames }) => frames.some(({ event }) => event === NOTE))).toEqual([true, false]);
    expect(JSON.stringify([followed.all[1].results, followed.typed[1].results, streams[1].frames])).not.toContain(SECRET);
    const refused = await SseClient.open(customer, `?events=${NOTE}`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 403, body: { error: { details: { required: 'support:write' } } } });
  });

  test('a webhook receives events of internal comments only if it lists their exact name, which customers may not do', async () => {
    const { desk, customer } = await parties();
    const [named, wide] = [await receiver(), await receiver()];
    for (const events of [[NOTE], ['ticket.created', `support.${NOTE}`]])
      expect((await customer.rest('POST', '/webhooks', { body: { url: named.url, events } })).body.error).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        details: { required: 'support:write' },
      });
    const exact = await subscribe(desk, { url: named.url, events: [NOTE] });
    const pattern = await subscribe(desk, { url: wide.url, events: ['*', 'ticket.*', 'support.*', 'support.ticket.*'] });
    expect((await customer.rest('PUT', `/webhooks/${exact.id}`, { body: { url: wide.url } })).status).toBe(403);
    expect((await customer.rest('PUT', `/webhooks/${pattern.id}`, { body: { events: [NOTE] } })).status).toBe(403);

    named.respond(FAILING);
    const { id } = await openTicket(desk);
    await noteAndReply(desk, id);
    await eventually(() => named.arrivals.length === 1 && wide.names().includes('comment.added'));
    expect(named.arrivals[0]?.event).toMatchObject({
      event: NOTE,
      data: { comment: { content: SECRET, visibility: 'internal' }, ticket: { id } },
    });
    expect(wide.names()).toEqual(['ticket.created', 'comment.added']);

    named.respond((response) => response.end());
    const [delivery] = await eventually(async () => {
      const found = await deliveriesOf(desk, exact.id);
      return found[0]?.status === 'failed' && found;
    });
    expect((await desk.rest('POST', `/webhooks/${exact.id}/deliveries/${delivery.id}/redeliver`)).status).toBeLessThan(300);
    await eventually(() => named.arrivals.length === 2);
    // the source event of a delivery is null for callers who may not read the event
    const source = `query($webhook: ID!, $id: ID!) { webhookDelivery(webhookId: $webhook, id: $id) { event source { payload } } }`;
    expect((await customer.graphql(source, { webhook: exact.id, id: delivery.id })).data.webhookDelivery).toEqual({
      event: NOTE,
      source: null,
    });

    const since = new Date(platform.clock.now().getTime() - 60_000).toISOString();
    for (const webhook of [pattern, exact])
      expect(
        (await desk.rest('POST', `/webhooks/${webhook.id}/replay`, { body: { since, status: ['skipped', 'delivered'] } })).status,
      ).toBeLessThan(300);
    await eventually(() => named.arrivals.length === 3 && wide.arrivals.length === 4);
    expect(wide.names()).not.toContain(NOTE);
    expect(JSON.stringify(wide.arrivals)).not.toContain(SECRET);
  });

  test('the list of event types contains the permission that each event type requires', async () => {
    const { desk } = await parties();
    const { body } = await desk.rest('GET', '/webhooks/events');
    const requires = Object.fromEntries(body.data.map((type: Json) => [type.name, type.requires]));
    expect(requires).toMatchObject({ [NOTE]: 'support:write', 'comment.added': 'support:read', 'invoice.created': 'billing:read' });
  });
});
