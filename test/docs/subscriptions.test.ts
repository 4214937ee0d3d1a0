import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { type Followed, follow } from '../events/live.setup.ts';
import { receiver } from '../events/receiver.ts';
import { subscribe } from '../events/webhooks.setup.ts';
import { eventually, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

const text = readFileSync('docs/subscriptions.md', 'utf8');
const examples = [...text.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, query = '']) => query);
/** The examples of a field. */
const of = (field: string): string[] => examples.filter((query) => new RegExp(`\\{\\s*${field}\\b`).test(query));
const platform = await rig();

/** Follows an example from an event on, so that nothing is missed while the socket opens; one that takes no `after` is given it. */
function followExample(tenant: Tenant, query: string, after: string): Followed {
  const resumed = query.includes('$after') ? query : query.replace(/(\w+Updated|serviceStatusChanged) \{/, `$1(after: "${after}") {`);
  return follow(tenant, resumed, query.includes('$after') ? { after } : {});
}

const first = async (live: Followed, field: string): Promise<Json> => {
  const event = await eventually(() => live.of(field)[0] ?? live.errors()[0]);
  expect(live.errors()).toEqual([]);
  return event;
};

/** The last event that was logged about a record. */
const lastEvent = (tenant: Tenant, subjectId: string): Promise<string> =>
  eventually(async () => {
    const query = 'query($of: [ID!]) { events(filter: { subjectId: $of }, page: { limit: 1 }) { nodes { id } } }';
    return (await tenant.graphql(query, { of: [subjectId] })).data.events.nodes[0]?.id as string;
  });

/** The same names wherever there is an object. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
    : 'a value';

test('the documented subscriptions of tickets return an event that has the ticket in it, and the message shown is such a one', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const { id } = await openTicket(tenant);
  const after = await lastEvent(tenant, id);
  await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'in_progress' } });
  const queries = of('ticketUpdated');
  expect(queries).toHaveLength(2);
  const found = [];
  for (const query of queries) found.push(await first(followExample(tenant, query, after), 'ticketUpdated'));
  for (const event of found)
    expect(event).toMatchObject({ id: expect.stringMatching(/^evt_/), event: 'ticket.updated', ticket: { status: 'IN_PROGRESS' } });
  const shown: Json = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '');
  expect(shapeOf(shown.data.ticketUpdated)).toEqual(shapeOf(found[0]));
  expect(shown.data.ticketUpdated.changes).toEqual(found[0].changes);
});

test('the documented subscriptions of services and invoices return an event that has the record in it', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const { id } = await openTicket(tenant);
  const after = await lastEvent(tenant, id);
  const { id: accountId } = await createAccount(tenant, 'Acme');
  const { service, firstInvoice } = await orderService(tenant, accountId, { name: 'Head office', location: LOCATION });
  const [services = '', invoices = ''] = [...of('serviceStatusChanged'), ...of('invoiceUpdated')];
  const changed = await first(followExample(tenant, services, after), 'serviceStatusChanged');
  expect(changed).toMatchObject({ event: expect.stringMatching(/^service\./), service: { id: service.id, account: { name: 'Acme' } } });
  const invoiced = await first(followExample(tenant, invoices, after), 'invoiceUpdated');
  expect(invoiced).toMatchObject({ event: expect.stringMatching(/^invoice\./), invoice: { id: firstInvoice.id } });
});

test('the documented subscriptions of all events and of deliveries return what they say', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const { id } = await openTicket(tenant);
  const after = await lastEvent(tenant, id);
  const hook = await receiver();
  await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
  const { number } = await openTicket(tenant);
  const [events = '', deliveries = ''] = [...of('events'), ...of('deliveryUpdated')];
  expect((await first(followExample(tenant, events, after), 'events')).subject).toEqual({ number, status: 'OPEN' });
  const delivery = await first(follow(tenant, deliveries, { after: '0' }), 'deliveryUpdated');
  expect(delivery).toMatchObject({ event: 'ticket.created', attempts: [{ responseStatus: 200, error: null }] });
  expect(examples).toHaveLength(6);
});
