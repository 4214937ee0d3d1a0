import { beforeAll, describe, expect, test } from 'vitest';
import { alertOf, createAlert, eventsThat, MINUTE_MS, measured, pass } from '../alerts.setup.ts';
import { failingService, incidentOf, incidentThat } from '../incidents.setup.ts';
import { send } from '../metrics.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const TICKETS = `query ($id: ID!) { alert(id: $id) { openTicket tickets {
  incidentId ticketId ticket { id title description status priority customerId serviceAffected metadata incidents { id } alerts { id } }
} } }`;
const ticketsOf = async (by: Tenant, alertId: string): Promise<Json[]> => (await by.graphql(TICKETS, { id: alertId })).data.alert.tickets;
/** Waits until an alert has opened a number of tickets, and returns the newest one. */
const newestTicket = (by: Tenant, alertId: string, count = 1): Promise<Json> =>
  eventually(async () => {
    const tickets = await ticketsOf(by, alertId);
    return tickets.length === count && tickets[0].ticket && { ...tickets[0].ticket, incidentId: tickets[0].incidentId };
  });
const allTickets = async (by: Tenant): Promise<Json[]> => (await by.rest('GET', '/support/tickets')).body.tickets;
const commentsOf = async (by: Tenant, ticketId: string): Promise<Json[]> =>
  (await by.rest('GET', `/support/tickets/${ticketId}/comments`)).body.comments;
const incidentsOf = async (by: Tenant): Promise<Json[]> => (await by.rest('GET', '/monitoring/incidents')).body.data;

describe('an alert with open_ticket', () => {
  test('opens a ticket that is linked to its incident on both sides, and that gets a comment of the system and stays open at the end', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true, open_ticket: 'high', description: 'Restart the queue.' });
    await measured(tenant, id, 11);
    const ticket = await newestTicket(tenant, id);
    const incident = await incidentOf(tenant, ticket.incidentId);
    expect(ticket).toMatchObject({
      ...{ title: 'High load', description: 'An alert on load fires.\n\nRestart the queue.', status: 'OPEN', priority: 'HIGH' },
      ...{ metadata: { alert_id: id, incident_id: incident.id }, incidents: [{ id: incident.id }], alerts: [{ id }] },
    });
    expect(incident.tickets).toMatchObject([{ ticket_id: ticket.id }]);
    await measured(tenant, id, 3);
    await platform.advance(5 * MINUTE_MS + 1);
    await eventually(async () => (await incidentOf(tenant, incident.id)).status === 'resolved');
    const [comment, ...others] = await eventually(async () => {
      const comments = await commentsOf(tenant, ticket.id);
      return comments.length > 0 && comments;
    });
    expect(others).toEqual([]);
    expect(comment).toMatchObject({
      ...{ content: 'The incident INC-1001 (High load) was resolved.', visibility: 'internal', type: 'internal_note' },
      author: { type: 'system', name: 'Monitoring' },
    });
    expect((await newestTicket(tenant, id)).status).toBe('OPEN');
  });

  test('opens no second ticket for an incident, whichever of its alerts fires, and the next incident gets its own', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const both = { open_incident: true, open_ticket: 'medium', service_id: serviceId };
    const one = await createAlert(tenant, { ...both, group_by: ['host'] });
    const other = await createAlert(tenant, { ...both, metric: 'queue' });
    for (const host of ['a', 'b']) await send(tenant, 'load', [[0, 20]], { service_id: serviceId, labels: { host } });
    await pass(tenant, one.id);
    const { id: first, incidentId } = await newestTicket(tenant, one.id);
    await send(tenant, 'queue', [[0, 99]], { service_id: serviceId });
    await pass(tenant, other.id);
    await incidentThat(tenant, serviceId, ({ alerts }) => alerts.length === 3);
    expect((await tenant.rest('PUT', `/monitoring/incidents/${incidentId}`, { body: { status: 'resolved' } })).status).toBe(200);
    await send(tenant, 'queue', [[0, 0]], { service_id: serviceId });
    await pass(tenant, other.id);
    await send(tenant, 'queue', [[0, 99]], { service_id: serviceId });
    await pass(tenant, other.id);
    const second = await newestTicket(tenant, other.id);
    expect(second.incidentId).not.toBe(incidentId);
    expect((await allTickets(tenant)).map(({ id }) => id).toSorted()).toEqual([first, second.id].toSorted());
  });

  test('opens no ticket for an incident to which a caller has linked one', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { service, incident } = await failingService(tenant, accountId);
    const { id: byHand } = await openTicket(tenant, { service_affected: service.id });
    await tenant.rest('POST', `/monitoring/incidents/${incident.id}/tickets`, { body: { ticket_id: byHand } });
    const { id } = await createAlert(tenant, { open_incident: true, open_ticket: 'low', service_id: service.id, metric: 'queue' });
    await send(tenant, 'queue', [[0, 99]], { service_id: service.id });
    await pass(tenant, id);
    await incidentThat(tenant, service.id, ({ alerts }) => alerts.length === 1);
    expect(await ticketsOf(tenant, id)).toEqual([]);
    expect((await allTickets(tenant)).map((ticket) => ticket.id)).toEqual([byHand]);
  });

  test('opens one ticket without an incident until it has not fired for five minutes, which then gets a comment and stays open', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_ticket: 'critical', group_by: ['host'] });
    await measured(tenant, id, 11, { labels: { host: 'a' } });
    const first = await newestTicket(tenant, id);
    expect(first).toMatchObject({ priority: 'CRITICAL', incidentId: null, incidents: [], alerts: [{ id }], metadata: { alert_id: id } });
    // another instance, and the same one again after a short recovery, belong to the same ticket
    await measured(tenant, id, 11, { labels: { host: 'b' } });
    for (const host of ['a', 'b']) await send(tenant, 'load', [[0, 1]], { labels: { host } });
    expect((await pass(tenant, id)).state).toBe('ok');
    expect((await measured(tenant, id, 12, { labels: { host: 'a' } })).state).toBe('firing');
    expect((await measured(tenant, id, 1, { labels: { host: 'a' } })).state).toBe('ok');
    expect(await commentsOf(tenant, first.id)).toEqual([]);
    // tickets are opened by events: one that is late would open another ticket
    await eventsThat(tenant, id, 'alert.resolved', 3);
    await eventually(async () => {
      await platform.advance(5 * MINUTE_MS);
      return (await commentsOf(tenant, first.id)).length > 0;
    });
    expect(await commentsOf(tenant, first.id)).toMatchObject([
      { content: 'The alert that opened this ticket has not fired for five minutes.', visibility: 'internal', author: { type: 'system' } },
    ]);
    expect(await ticketsOf(tenant, id)).toMatchObject([{ ticketId: first.id, ticket: { status: 'OPEN' } }]);
    await measured(tenant, id, 12, { labels: { host: 'a' } });
    const second = await newestTicket(tenant, id, 2);
    expect(second.id).not.toBe(first.id);
    expect(await incidentsOf(tenant)).toEqual([]);
  });

  test('opens a ticket that belongs to the account of its service, or to the account of the organization if it has no service', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const ofService = await createAlert(tenant, { open_ticket: 'high', service_id: serviceId });
    const ofAll = await createAlert(tenant, { open_ticket: 'low', metric: 'queue' });
    await send(tenant, 'queue', [[0, 99]], { service_id: serviceId });
    await measured(tenant, ofService.id, 11, { service_id: serviceId });
    const [own, general] = [await newestTicket(tenant, ofService.id), await newestTicket(tenant, ofAll.id)];
    expect(own).toMatchObject({ serviceAffected: serviceId });
    const { data } = await tenant.graphql('{ defaultAccount { customerId } }');
    expect(general).toMatchObject({ serviceAffected: null, customerId: data.defaultAccount.customerId });
    const key = { name: 'Portal', permissions: ['monitoring:read', 'support:read'], accounts: [accountId] };
    const { api_key: made } = (await tenant.rest('POST', '/auth/api-keys', { body: key })).body;
    const limited = new Tenant(tenant.origin, tenant.organizationId, made.key);
    expect(await ticketsOf(limited, ofService.id)).toMatchObject([{ ticketId: own.id, ticket: { alerts: [{ id: ofService.id }] } }]);
    expect((await allTickets(limited)).map(({ id }) => id)).toEqual([own.id]);
    expect((await limited.graphql(TICKETS, { id: ofAll.id })).data.alert).toBeNull();
  });

  test('needs support:create of the caller who sets it, and is unset with null', async () => {
    const tenant = await platform.organization();
    const limited = await tenant.limitedTo('monitoring:write', 'monitoring:read');
    const given = { name: 'High load', metric: 'load', condition: 'above', threshold: 10 };
    const refused = await limited.rest('POST', '/monitoring/alerts', { body: { ...given, open_ticket: 'high' } });
    expect([refused.status, refused.body.error.details.required]).toEqual([403, 'support:create']);
    const { id, open_ticket: none } = (await limited.rest('POST', '/monitoring/alerts', { body: given })).body.data;
    expect(none).toBeNull();
    expect((await limited.rest('PUT', `/monitoring/alerts/${id}`, { body: { open_ticket: 'high' } })).status).toBe(403);
    const wrong = await tenant.rest('PUT', `/monitoring/alerts/${id}`, { body: { open_ticket: 'urgent', threshold: 'x' } });
    expect([wrong.status, wrong.body.error.details.errors.map(({ field }: Json) => field).toSorted()]).toEqual([
      400,
      ['open_ticket', 'threshold'],
    ]);
    const set = await tenant.rest('PUT', `/monitoring/alerts/${id}`, { body: { open_ticket: 'high' } });
    expect(set.body.data.open_ticket).toBe('high');
    // the setting stays, and other settings can be changed without the permission
    expect((await limited.rest('PUT', `/monitoring/alerts/${id}`, { body: { threshold: 12 } })).body.data.open_ticket).toBe('high');
    const unset = await limited.rest('PUT', `/monitoring/alerts/${id}`, { body: { open_ticket: null } });
    expect([unset.status, unset.body.data.open_ticket]).toEqual([200, null]);
    expect((await alertOf(tenant, id)).open_ticket).toBeNull();
  });

  test('opens no ticket while it is silenced, and one when it still fires after the silence', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_ticket: 'low' });
    const until = new Date(platform.clock.now().getTime() + 10 * MINUTE_MS).toISOString();
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: { until } });
    expect((await measured(tenant, id, 11)).state).toBe('firing');
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: {} });
    expect(await allTickets(tenant)).toEqual([]);
    await measured(tenant, id, 11);
    await newestTicket(tenant, id);
    expect(await allTickets(tenant)).toHaveLength(1);
  });

  test('tells the ticket that it has ended when it is deleted', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_ticket: 'low' });
    await measured(tenant, id, 11);
    const ticket = await newestTicket(tenant, id);
    expect((await tenant.rest('DELETE', `/monitoring/alerts/${id}`)).status).toBe(200);
    await eventually(async () => {
      await platform.advance(5 * MINUTE_MS);
      return (await commentsOf(tenant, ticket.id)).length === 1;
    });
    const { data } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { status alerts { id } } }', { id: ticket.id });
    expect(data.ticket).toEqual({ status: 'OPEN', alerts: [] });
  });
});
