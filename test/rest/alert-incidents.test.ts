import { beforeAll, describe, expect, test } from 'vitest';
import { createAlert, MINUTE_MS, measured } from '../alerts.setup.ts';
import { failingService, incidentOf, incidentThat, mend } from '../incidents.setup.ts';
import { send } from '../metrics.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const incidents = async (tenant: Tenant): Promise<Json[]> => (await tenant.rest('GET', '/monitoring/incidents')).body.data;
/** Waits until the newest incident of the organization satisfies `fits`, and returns it. */
const newestThat = (tenant: Tenant, fits: (incident: Json) => boolean = () => true): Promise<Json> =>
  eventually(async () => {
    const [incident] = await incidents(tenant);
    return incident && fits(incident) && incident;
  });
const messages = ({ updates }: Json): string[] => updates.map(({ message }: Json) => message).toReversed();

describe('an alert with open_incident', () => {
  test('opens an incident when it fires, which resolves itself five minutes after the alert', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true, severity: 'critical' });
    await measured(tenant, id, 11);
    const incident = await newestThat(tenant);
    expect(incident).toMatchObject({
      ...{ number: 'INC-1001', title: 'High load', source: 'alert', status: 'investigating', severity: 'critical' },
      ...{ resolves_itself: true, services: [], resolved_at: null },
      alerts: [{ alert_id: id, instance_id: expect.stringMatching(/^alinst_/), service_id: null, labels: {}, ended_at: null }],
    });
    expect(messages(incident)).toEqual(['An alert on load fires.']);
    await measured(tenant, id, 3);
    const calm = await newestThat(tenant, ({ status }) => status === 'monitoring');
    expect(calm.alerts).toMatchObject([{ alert_id: id, ended_at: expect.any(String) }]);
    await platform.advance(4 * MINUTE_MS);
    expect((await incidentOf(tenant, incident.id)).status).toBe('monitoring');
    await platform.advance(MINUTE_MS + 1);
    const resolved = await newestThat(tenant, ({ status }) => status === 'resolved');
    expect(messages(resolved)).toEqual([
      'An alert on load fires.',
      'An alert on load was resolved.',
      'No alert has fired for five minutes.',
    ]);
  });

  test('goes on with its incident if it fires again within five minutes, and opens another one later', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true });
    await measured(tenant, id, 11);
    const first = await newestThat(tenant);
    await measured(tenant, id, 3);
    await newestThat(tenant, ({ status }) => status === 'monitoring');
    await measured(tenant, id, 12);
    const again = await newestThat(tenant, ({ status }) => status === 'investigating');
    expect([again.id, again.alerts.length, again.alerts[0].ended_at, again.alerts[1].ended_at]).toEqual([
      first.id,
      2,
      null,
      expect.any(String),
    ]);
    const { body } = await tenant.rest('PUT', `/monitoring/incidents/${first.id}`, { body: { status: 'resolved' } });
    expect(body.data.status).toBe('resolved');
    await measured(tenant, id, 3);
    await measured(tenant, id, 12);
    const second = await newestThat(tenant, ({ status }) => status === 'investigating');
    expect([second.number, (await incidents(tenant)).length]).toEqual(['INC-1002', 2]);
  });

  test('keeps one incident for all of its instances, and the incident waits for the last of them', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true, group_by: ['host'] });
    for (const host of ['a', 'b']) await send(tenant, 'load', [[0, 20]], { labels: { host } });
    await measured(tenant, id, 1, { labels: { host: 'c' } });
    const incident = await newestThat(tenant, ({ alerts }) => alerts.length === 2);
    expect(incident.alerts.map(({ labels }: Json) => labels.host).toSorted()).toEqual(['a', 'b']);
    await send(tenant, 'load', [[0, 20]], { labels: { host: 'b' } });
    await measured(tenant, id, 1, { labels: { host: 'a' } });
    const half = await newestThat(tenant, ({ alerts }) => alerts.some(({ ended_at }: Json) => ended_at));
    expect(half.status).toBe('investigating');
    await measured(tenant, id, 1, { labels: { host: 'b' } });
    await newestThat(tenant, ({ status }) => status === 'monitoring');
    expect(await incidents(tenant)).toHaveLength(1);
  });

  test('joins the open incident of its service, which then waits for service and alert', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { service, incident } = await failingService(tenant, accountId);
    const { id } = await createAlert(tenant, { open_incident: true, service_id: service.id, metric: 'queue' });
    await send(tenant, 'queue', [[0, 99]], { service_id: service.id });
    await platform.advance(MINUTE_MS);
    const joined = await incidentThat(tenant, service.id, ({ alerts }) => alerts.length === 1);
    expect([joined.id, joined.source, joined.alerts[0].alert_id]).toEqual([incident.id, 'health', id]);
    await mend(tenant, service.id);
    const mended = await incidentThat(tenant, service.id, ({ services }) => services[0].impact === null);
    expect(mended.status).toBe('investigating');
    await send(tenant, 'queue', [[0, 0]], { service_id: service.id });
    await platform.advance(MINUTE_MS);
    await incidentThat(tenant, service.id, ({ status }) => status === 'monitoring');
  });

  test('opens no incident while it is silenced, or if open_incident is not set', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true });
    const silent = await createAlert(tenant, { metric: 'quiet' });
    expect(silent.open_incident).toBe(false);
    const until = new Date(platform.clock.now().getTime() + 10 * MINUTE_MS).toISOString();
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: { until } });
    await send(tenant, 'quiet', [[0, 99]]);
    expect((await measured(tenant, id, 11)).state).toBe('firing');
    // the alert fires still when its silence ends: then people are told, and the incident is opened
    expect(await incidents(tenant)).toEqual([]);
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: {} });
    await measured(tenant, id, 11);
    expect((await newestThat(tenant)).alerts).toMatchObject([{ alert_id: id }]);
    expect(await incidents(tenant)).toHaveLength(1);
  });

  test('ends its part of the incident when it is deleted, also if open_incident was unset meanwhile', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { open_incident: true });
    await measured(tenant, id, 11);
    await newestThat(tenant);
    const { body } = await tenant.rest('PUT', `/monitoring/alerts/${id}`, { body: { open_incident: false } });
    expect(body.data.open_incident).toBe(false);
    expect((await tenant.rest('DELETE', `/monitoring/alerts/${id}`)).status).toBe(200);
    const calm = await newestThat(tenant, ({ status }) => status === 'monitoring');
    expect(calm.alerts).toMatchObject([{ alert_id: id, ended_at: expect.any(String) }]);
    const query = 'query ($id: ID!) { incident(id: $id) { alerts { alertId alert { id } } } }';
    const { data } = await tenant.graphql(query, { id: calm.id });
    expect(data.incident.alerts).toEqual([{ alertId: id, alert: null }]);
  });

  test('a caller who is limited to an account sees its services in the incident, and no name of an alert of the organization', async () => {
    const { tenant, accountId } = await tenantWithAccount();
    const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
    const { id } = await createAlert(tenant, {
      open_incident: true,
      name: 'Secret of head office',
      group_by: ['service_id'],
      metric: 'queue',
    });
    await send(tenant, 'queue', [[0, 99]], { service_id: serviceId });
    await send(tenant, 'queue', [[0, 99]], { labels: { host: 'central' } });
    await platform.advance(MINUTE_MS);
    const incident = await newestThat(tenant, ({ alerts }) => alerts.length === 2);
    const key = { name: 'Portal', permissions: ['monitoring:read'], accounts: [accountId] };
    const { api_key: made } = (await tenant.rest('POST', '/auth/api-keys', { body: key })).body;
    const limited = new Tenant(tenant.origin, tenant.organizationId, made.key);
    const seen = await incidentOf(limited, incident.id);
    expect(JSON.stringify(seen)).not.toContain('Secret');
    expect(seen.alerts.map(({ alert_id, service_id }: Json) => [alert_id, service_id])).toEqual([[id, serviceId]]);
    const { data } = await limited.graphql('query ($id: ID!) { incident(id: $id) { alerts { alert { name } } } }', { id: incident.id });
    expect(data.incident.alerts).toEqual([{ alert: null }]);
    const other = await platform.organization();
    expect((await other.rest('GET', `/monitoring/incidents/${incident.id}`)).status).toBe(404);
  });
});

test('a ticket shows the incidents to which it is linked', async () => {
  const tenant = await platform.organization();
  const { id: ticketId } = await openTicket(tenant, { title: 'No internet' });
  const { body } = await tenant.rest('POST', '/monitoring/incidents', { body: { title: 'Outage' } });
  await tenant.rest('POST', `/monitoring/incidents/${body.data.id}/tickets`, { body: { ticket_id: ticketId } });
  const query = 'query ($id: ID!) { ticket(id: $id) { incidents { number tickets { ticket { title } } } } }';
  const { data } = await tenant.graphql(query, { id: ticketId });
  expect(data.ticket.incidents).toEqual([{ number: 'INC-1001', tickets: [{ ticket: { title: 'No internet' } }] }]);
});
