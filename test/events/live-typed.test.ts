import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { Records } from '../support/records.ts';
import type { Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const TICKETS =
  'subscription($id: ID, $accountId: ID, $after: ID) { ticketUpdated(id: $id, accountId: $accountId, after: $after) { id event accountId changes ticket { id title status account { companyName: name } service { name } } invoice { id } service { id } } }';

const openTicket = async (tenant: Tenant, members: object = {}): Promise<Json> => {
  const { status, body } = await tenant.rest('POST', '/support/tickets', {
    body: { title: 'Line is down', description: 'Dead.', ...members },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.ticket;
};
const change = (tenant: Tenant, id: string, body: object): Promise<unknown> => tenant.rest('PUT', `/support/tickets/${id}`, { body });

/** Returns the id of the subject's last event, to subscribe to all later events. */
const lastEvent = (tenant: Tenant, subjectId: string): Promise<string> =>
  eventually(async () => {
    const { data } = await tenant.graphql('query($of: [ID!]) { events(filter: { subjectId: $of }, page: { limit: 1 }) { nodes { id } } }', {
      of: [subjectId],
    });
    return data.events.nodes[0]?.id as string;
  });

describe('ticketUpdated subscription', () => {
  test('ticketUpdated sends the old and new values of changed fields, and the current ticket with its account and service', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const account = await createAccount(tenant, 'Acme Corporation');
    const { service } = await orderService(tenant, account.id, { name: 'Head office', location: LOCATION });
    const ticket = await openTicket(tenant, { customer_id: account.customer_id, service_affected: service.id });
    const live = follow(tenant, TICKETS, { accountId: account.id, after: await lastEvent(tenant, ticket.id) });

    await change(tenant, ticket.id, { status: 'in_progress' });
    const [updated] = await eventually(() => live.of('ticketUpdated').length === 1 && live.of('ticketUpdated'));
    expect(live.errors()).toEqual([]);
    expect(updated).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'ticket.updated',
      accountId: account.id,
      changes: { status: { from: 'open', to: 'in_progress' } },
      ticket: {
        id: ticket.id,
        title: 'Line is down',
        status: 'IN_PROGRESS',
        account: { companyName: 'Acme Corporation' },
        service: { name: 'Head office' },
      },
      invoice: null,
      service: null,
    });
  });

  test('ticketUpdated can be filtered by account or by ticket', async () => {
    const tenant = await platform.organization();
    const [account, other] = [await createAccount(tenant), await createAccount(tenant)];
    const first = await openTicket(tenant);
    const after = await lastEvent(tenant, first.id);
    const ofAccount = follow(tenant, TICKETS, { accountId: account.id, after });
    const ofTicket = follow(tenant, TICKETS, { id: first.id, after });
    await openTicket(tenant, { customer_id: other.customer_id });
    const own = await openTicket(tenant, { customer_id: account.customer_id });
    await change(tenant, first.id, { status: 'in_progress' });
    await change(tenant, own.id, { status: 'in_progress' });
    await eventually(() => ofAccount.of('ticketUpdated').length === 2 && ofTicket.of('ticketUpdated').length === 1);
    expect(ofAccount.of('ticketUpdated').map(({ ticket }) => ticket.id)).toEqual([own.id, own.id]);
    expect(ofTicket.of('ticketUpdated').map(({ ticket }) => ticket.id)).toEqual([first.id]);
  });

  test('a client that subscribes to ticketUpdated again with the id of its last event misses no event and gets none twice', async () => {
    const tenant = await platform.organization();
    const first = await openTicket(tenant);
    const before = follow(tenant, TICKETS, { after: await lastEvent(tenant, first.id) });
    const opened = [(await openTicket(tenant)).id];
    await eventually(() => before.of('ticketUpdated').length === 1);
    before.leave();
    opened.push((await openTicket(tenant)).id, (await openTicket(tenant)).id);
    const back = follow(tenant, TICKETS, { after: before.of('ticketUpdated')[0].id });
    await eventually(() => back.of('ticketUpdated').length === 2);
    opened.push((await openTicket(tenant)).id);
    await eventually(() => back.of('ticketUpdated').length === 3);
    expect([...before.of('ticketUpdated'), ...back.of('ticketUpdated')].map(({ ticket }) => ticket.id)).toEqual(opened);
  });

  test('ticketUpdated requires support:read, and its account field requires accounts:read', async () => {
    const tenant = await platform.organization();
    const account = await createAccount(tenant);
    const first = await openTicket(tenant);
    const after = await lastEvent(tenant, first.id);
    const reader = follow(
      await tenant.limitedTo('support:read'),
      'subscription($after: ID) { ticketUpdated(after: $after) { ticket { id title account { id } } } }',
      { after },
    );
    const ticket = await openTicket(tenant, { customer_id: account.customer_id });
    const [result] = await eventually(() => reader.results.length > 0 && reader.results);
    expect(result?.data?.ticketUpdated).toEqual({ ticket: { id: ticket.id, title: 'Line is down', account: null } });
    expect(result?.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'accounts:read' } } }]);

    const refused = follow(await tenant.limitedTo('webhooks:read', 'billing:read'), TICKETS);
    await eventually(() => refused.isDone());
    expect(refused.errors()).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:read' } } }]);
  });

  test('ticketUpdated never sends tickets of another organization, even if a client requests ids of that organization', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const foreign = new Records(other, 'Foreign');
    const account = await createAccount(other);
    const [own, theirs] = [await openTicket(tenant), await openTicket(other, { customer_id: account.customer_id })];
    const after = await lastEvent(tenant, own.id);
    const subscriptions = [
      follow(tenant, TICKETS, { after, id: theirs.id }),
      follow(tenant, TICKETS, { after, accountId: account.id }),
      follow(tenant, TICKETS, { after }),
    ];
    await change(other, theirs.id, { status: 'in_progress' });
    await change(tenant, own.id, { status: 'in_progress' });
    await eventually(() => subscriptions[2]?.of('ticketUpdated').length === 1);
    expect(subscriptions.map((one) => one.of('ticketUpdated').map(({ ticket }) => ticket.id))).toEqual([[], [], [own.id]]);
    const position = follow(tenant, TICKETS, { after: await lastEvent(other, await foreign.id('ticket_id')) });
    await eventually(() => position.isDone());
    expect(position.errors()).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', details: { field: 'after' } } }]);
  });
});

test('serviceStatusChanged and invoiceUpdated, filtered by an account, send the service and invoice events of that account', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  const account = await createAccount(tenant);
  const after = await lastEvent(tenant, (await openTicket(tenant)).id);
  const of = (field: string, selection: string): string =>
    `subscription($after: ID, $accountId: ID) { ${field}(after: $after, accountId: $accountId) { event ${selection} } }`;
  const services = follow(tenant, of('serviceStatusChanged', 'service { id account { id } }'), { after, accountId: account.id });
  const invoices = follow(tenant, of('invoiceUpdated', 'invoice { id account { id } }'), { after, accountId: account.id });
  const { service, firstInvoice } = await orderService(tenant, account.id);
  const provisioned = await eventually(() => services.of('serviceStatusChanged').find(({ event }) => event === 'service.provisioned'));
  const generated = await eventually(() => invoices.of('invoiceUpdated').find(({ event }) => event === 'invoice.generated'));
  expect(provisioned).toMatchObject({ service: { id: service.id, account: { id: account.id } } });
  expect(generated).toMatchObject({ invoice: { id: firstInvoice.id, account: { id: account.id } } });
});
