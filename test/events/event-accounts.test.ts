import { expect, test } from 'vitest';
import { billedTenant, createAccount } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const EVENTS = 'query($filter: EventFilter) { events(filter: $filter) { nodes { event accountId subjectId } } }';
const eventsWith = async (tenant: Tenant, filter: object): Promise<Json[]> => (await tenant.graphql(EVENTS, { filter })).data.events.nodes;

async function ticketOf(tenant: Tenant, members: object): Promise<string> {
  const { status, body } = await tenant.rest('POST', '/support/tickets', {
    body: { title: 'Down', description: 'Since 9:30.', ...members },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.ticket.id;
}

test("a ticket event belongs to the account of the ticket's customer or service, or to no account", async () => {
  const { tenant, accountId, serviceId } = await billedTenant();
  const other = await createAccount(tenant, 'Hudson');
  const ids = [
    await ticketOf(tenant, { customer_id: other.customer_id }),
    await ticketOf(tenant, { service_affected: serviceId }),
    await ticketOf(tenant, { service_affected: 'the phone in the lobby' }),
  ];
  for (const id of ids) await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
  const found = await eventually(async () => {
    const events = await eventsWith(tenant, { subjectId: ids, event: ['ticket.created', 'ticket.resolved'] });
    return events.length === 6 && events;
  });
  const accounts = ids.map((id) => found.filter(({ subjectId }) => subjectId === id).map((event) => event.accountId));
  expect(accounts).toEqual([
    [other.id, other.id],
    [accountId, accountId],
    [null, null],
  ]);
});

test('the events query can be filtered by one or more accounts', async () => {
  const { tenant, accountId, serviceId, firstInvoice } = await billedTenant();
  const other = await createAccount(tenant, 'Hudson');
  const ticket = await ticketOf(tenant, { customer_id: other.customer_id });
  await eventually(async () => (await eventsWith(tenant, { subjectId: [ticket] })).length > 0);
  await eventually(async () => (await eventsWith(tenant, { subjectId: [firstInvoice.id] })).length > 0);

  const subjects = async (...accounts: string[]) =>
    new Set((await eventsWith(tenant, { accountId: accounts })).map(({ subjectId }) => subjectId));
  const [{ subscription_id: subscriptionId }] = (await tenant.rest('GET', `/billing/subscriptions?account_id=${accountId}`)).body.data;
  expect(await subjects(accountId)).toEqual(new Set([serviceId, subscriptionId, firstInvoice.id]));
  expect(await subjects(other.id)).toEqual(new Set([ticket]));
  expect(await subjects(accountId, other.id)).toEqual(new Set([serviceId, subscriptionId, firstInvoice.id, ticket]));
  expect(await subjects('acc_none')).toEqual(new Set());
});
