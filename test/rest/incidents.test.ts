import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { failingService, incidentOf, incidentsOf, incidentThat, mend, openIncident } from '../incidents.setup.ts';
import { eventually, rig } from '../rig.ts';
import { minutesPass, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

const MINUTE_MS = 60_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const update = (id: string, body: object, by = tenant) => by.rest('PUT', `/monitoring/incidents/${id}`, { body });
/** Returns the events about an incident, oldest first. */
const eventsOf = async (id: string, by = tenant): Promise<Json[]> => {
  const query = 'query ($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { event payload } } }';
  const { data } = await by.graphql(query, { id });
  return data.events.nodes
    .map(({ event, payload }: Json) => ({ event, ...(typeof payload === 'string' ? JSON.parse(payload) : payload).data }))
    .reverse();
};

describe('an incident that measurements open', () => {
  test('an incident opens when a service is down, waits while the service works again, and is resolved after five minutes', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const { service, incident } = await failingService(by, account);
    expect(incident).toMatchObject({
      number: 'INC-1001',
      title: 'Outage in New York, NY',
      status: 'investigating',
      severity: 'major',
      source: 'health',
      area: 'New York, NY',
      resolves_itself: true,
      resolved_at: null,
      duration_seconds: null,
      services: [{ service_id: service.id, account_id: account, impact: 'down', ended_at: null }],
      updates: [{ status: 'investigating', message: 'A service is down. The connection is down.', changed_by: null }],
      tickets: [],
    });
    expect(incident.started_at).toBe(incident.services[0].began_at);
    await mend(by, service.id);
    const calm = await incidentThat(by, service.id, ({ status }) => status === 'monitoring');
    expect(calm).toMatchObject({ services: [{ impact: null, ended_at: expect.any(String) }], resolved_at: null });
    await (await rig()).advance(4 * MINUTE_MS);
    expect(await incidentOf(by, incident.id)).toMatchObject({ status: 'monitoring' });
    await (await rig()).advance(MINUTE_MS + 1);
    const resolved = await incidentThat(by, service.id, ({ status }) => status === 'resolved');
    expect(resolved).toMatchObject({ id: incident.id, resolves_itself: false, resolved_at: expect.any(String) });
    expect(resolved.duration_seconds).toBe(Math.round((Date.parse(resolved.resolved_at) - Date.parse(resolved.started_at)) / 1000));
    expect(resolved.updates.map(({ status, message }: Json) => [status, message])).toEqual([
      ['resolved', 'All services have worked for five minutes.'],
      ['monitoring', 'All services work again.'],
      ['investigating', 'A service is down. The connection is down.'],
    ]);
    const events = await eventually(async () => {
      const found = await eventsOf(incident.id, by);
      return found.length === 3 && found;
    });
    expect(events).toMatchObject([
      { event: 'incident.opened', incident: { status: 'investigating', service_count: 1 }, update: { status: 'investigating' } },
      { event: 'incident.updated', incident: { status: 'monitoring' } },
      { event: 'incident.resolved', incident: { status: 'resolved', duration_seconds: resolved.duration_seconds } },
    ]);
  });

  test('an incident continues if its service fails again within five minutes, and a later failure opens another incident', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const { service, incident } = await failingService(by, account);
    await mend(by, service.id);
    await incidentThat(by, service.id, ({ status }) => status === 'monitoring');
    await by.rest('PUT', `/services/${service.id}`, { body: { name: 'Branch SIM-DOWN' } });
    await minutesPass(2, by, service.id);
    const again = await incidentThat(by, service.id, ({ status }) => status === 'investigating');
    expect(again).toMatchObject({ id: incident.id, services: [{ impact: 'down', began_at: incident.started_at, ended_at: null }] });
    await (await rig()).advance(10 * MINUTE_MS);
    expect(await incidentOf(by, incident.id)).toMatchObject({ status: 'investigating' });
    await mend(by, service.id);
    await incidentThat(by, service.id, ({ status }) => status === 'monitoring');
    await (await rig()).advance(5 * MINUTE_MS + 1);
    await incidentThat(by, service.id, ({ status }) => status === 'resolved');
    await by.rest('PUT', `/services/${service.id}`, { body: { name: 'Branch SIM-DOWN' } });
    await minutesPass(2, by, service.id);
    const next = await incidentThat(by, service.id, ({ status }) => status === 'investigating');
    expect(next.number).toBe('INC-1002');
    expect(await incidentsOf(by, service.id)).toHaveLength(2);
  });

  test('an incident has all services of a provider and area that fail within two minutes, and is critical if at least three are down', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const other = await createAccount(by);
    const lines = await Promise.all(
      [account, account, other.id].map((of) => serviceThatIs('operational', by, of, { name: 'Branch SIM-DOWN' })),
    );
    await Promise.all(lines.slice(1).map(({ id }) => eventually(async () => (await by.rest('GET', `/services/${id}`)).status === 200)));
    await minutesPass(3, by, lines[0]?.id);
    // the incident and its services are read by two statements, and a service may be added between the two
    const incident = await incidentThat(by, lines[0]?.id, ({ severity, services }) => severity === 'critical' && services.length === 3);
    expect(incident).toMatchObject({ services: [{ impact: 'down' }, { impact: 'down' }, { impact: 'down' }] });
    expect((await by.rest('GET', '/monitoring/incidents')).body.data).toHaveLength(1);
    await mend(by, lines[0]?.id);
    const two = await incidentThat(by, lines[0]?.id, ({ updates }) => updates[0].message === 'A service works again, 2 do not.');
    expect(two).toMatchObject({ status: 'investigating', severity: 'critical', resolved_at: null });
  });

  test('a degraded service opens a minor incident, which becomes major when the service is down', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const { service, incident } = await failingService(by, account, 'SIM-DEGRADED');
    expect(incident).toMatchObject({ severity: 'minor', title: 'Degraded services in New York, NY', services: [{ impact: 'degraded' }] });
    await by.rest('PUT', `/services/${service.id}`, { body: { name: 'Branch SIM-DOWN' } });
    await minutesPass(2, by, service.id);
    const worse = await incidentThat(by, service.id, ({ severity }) => severity === 'major');
    expect(worse).toMatchObject({ id: incident.id, title: 'Outage in New York, NY', services: [{ impact: 'down' }] });
  });

  test('an incident whose status a person has set is not resolved automatically until the person leaves this to the platform', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const { service, incident } = await failingService(by, account);
    const { body } = await update(incident.id, { status: 'identified', severity: 'minor', message: 'Fiber cut.' }, by);
    expect(body.data).toMatchObject({ status: 'identified', severity: 'minor', resolves_itself: false, identified_at: expect.any(String) });
    await mend(by, service.id);
    await incidentThat(by, service.id, ({ services }) => services[0].impact === null);
    await (await rig()).advance(10 * MINUTE_MS);
    expect(await incidentOf(by, incident.id)).toMatchObject({ status: 'identified', severity: 'minor' });
    expect((await update(incident.id, { resolves_itself: true }, by)).body.data).toMatchObject({
      status: 'monitoring',
      resolves_itself: true,
    });
    await (await rig()).advance(5 * MINUTE_MS + 1);
    await incidentThat(by, service.id, ({ status }) => status === 'resolved');
  });

  test('a service that is taken out of service does not keep its incident open', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const { service } = await failingService(by, account);
    await by.rest('DELETE', `/services/${service.id}`);
    await incidentThat(by, service.id, ({ status }) => status === 'monitoring');
  });

  test('an incident that a person has opened for a service gets the measurements, and no other incident is opened', async () => {
    const { tenant: by, accountId: account } = await tenantWithAccount();
    const service = await serviceThatIs('operational', by, account, { name: 'Branch SIM-DOWN' });
    const { id } = await openIncident(by, { service_ids: [service.id] });
    await minutesPass(3, by, service.id);
    const incident = await incidentThat(by, service.id, ({ services }) => services[0].impact === 'down');
    expect(incident).toMatchObject({ id, source: 'manual', resolves_itself: false });
    expect(await incidentsOf(by, service.id)).toHaveLength(1);
  });
});

describe('an incident that a caller opens', () => {
  test('an incident that a caller opens has the fields of the request and an entry in its timeline, and is in the list of incidents', async () => {
    const service = await serviceThatIs('operational', tenant, accountId);
    const started_at = new Date((await rig()).clock.now().getTime() - 3_600_000).toISOString();
    const incident = await openIncident(tenant, {
      title: 'Slow lines in Boston',
      severity: 'minor',
      message: 'We see packet loss.',
      service_ids: [service.id],
      started_at,
    });
    expect(incident).toMatchObject({
      id: expect.stringMatching(/^inc_/),
      title: 'Slow lines in Boston',
      status: 'investigating',
      severity: 'minor',
      source: 'manual',
      resolves_itself: false,
      started_at,
      services: [{ service_id: service.id, account_id: accountId, impact: null, began_at: null }],
      updates: [{ message: 'We see packet loss.', changed_by: expect.any(String) }],
    });
    expect(await incidentsOf(tenant, service.id)).toEqual([incident]);
    const { data } = await tenant.graphql(
      'query ($id: ID!) { service(id: $id) { incidents(limit: 5) { id services { service { name } } } } }',
      { id: service.id },
    );
    expect(data.service.incidents).toEqual([{ id: incident.id, services: [{ service: { name: service.name } }] }]);
  });

  test('opening an incident with several invalid fields returns one error with all problems', async () => {
    const body = {
      title: ' ',
      severity: 'huge',
      service_ids: Array.from({ length: 51 }, (_, at) => `svc_${at}`),
      message: '',
    };
    const { status, body: response } = await tenant.rest('POST', '/monitoring/incidents', { body });
    expect([status, response.error.details.errors.map(({ field }: Json) => field).toSorted()]).toEqual([
      400,
      ['message', 'service_ids', 'severity', 'title'],
    ]);
  });

  test('opening an incident with a start in the future returns 400, and with an unknown service returns 404', async () => {
    const started_at = new Date((await rig()).clock.now().getTime() + 3_600_000).toISOString();
    const future = await tenant.rest('POST', '/monitoring/incidents', { body: { title: 'Later', started_at } });
    expect([future.status, future.body.error.details]).toMatchObject([400, { field: 'started_at', reason: 'must not be in the future' }]);
    const unknown = await tenant.rest('POST', '/monitoring/incidents', {
      body: { title: 'None', service_ids: ['svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G'] },
    });
    expect([unknown.status, unknown.body.error.details.resource]).toEqual([404, 'service']);
  });
});

describe('the changes of an incident', () => {
  test('the status and the message of an update become timeline entries, and a resolved incident stays resolved', async () => {
    const { id } = await openIncident(tenant);
    const identified = (await update(id, { status: 'identified', message: 'An excavator.' })).body.data;
    await update(id, { message: 'Still digging.' });
    const { body } = await update(id, { status: 'resolved' });
    expect(body.data).toMatchObject({ status: 'resolved', identified_at: identified.identified_at, resolved_at: expect.any(String) });
    expect(body.data.updates.map(({ status, message }: Json) => [status, message])).toEqual([
      ['resolved', null],
      ['identified', 'Still digging.'],
      ['identified', 'An excavator.'],
      ['investigating', null],
    ]);
    const reopened = await update(id, { status: 'investigating' });
    expect([reopened.status, reopened.body.error.code]).toEqual([409, 'INVALID_STATE']);
    const report = await update(id, { message: 'What we learned.' });
    expect(report.body.data).toMatchObject({ status: 'resolved', resolved_at: body.data.resolved_at });
    const names = await eventually(async () => {
      const found = (await eventsOf(id)).map(({ event }) => event);
      return found.length === 5 && found;
    });
    expect(names).toEqual(['incident.opened', 'incident.updated', 'incident.updated', 'incident.resolved', 'incident.updated']);
  });

  test('an update of an incident that changes nothing causes no event and keeps the revision', async () => {
    const incident = await openIncident(tenant);
    const { body } = await update(incident.id, { title: incident.title, severity: incident.severity });
    expect(body.data).toEqual(incident);
  });

  test('updating an incident with the ETag of an earlier state returns 409', async () => {
    const { id } = await openIncident(tenant);
    const etag = (await tenant.rest('GET', `/monitoring/incidents/${id}`)).headers.get('etag') as string;
    await update(id, { title: 'Changed' });
    const late = await tenant.rest('PUT', `/monitoring/incidents/${id}`, { body: { title: 'Late' }, headers: { 'if-match': etag } });
    expect([late.status, late.body.error.code]).toEqual([409, 'STALE_RESOURCE']);
  });

  test('each of many concurrent updates of an incident is in the timeline once', async () => {
    const { id } = await openIncident(tenant);
    const messages = Array.from({ length: 8 }, (_, at) => `Message ${at}`);
    await Promise.all(messages.map((message) => update(id, { message })));
    const { updates } = await incidentOf(tenant, id);
    expect(
      updates
        .map(({ message }: Json) => message)
        .filter(Boolean)
        .toSorted(),
    ).toEqual(messages);
  });
});

describe('the tickets of an incident', () => {
  const link = (id: string, ticket_id: string, by = tenant) =>
    by.rest('POST', `/monitoring/incidents/${id}/tickets`, { body: { ticket_id } });
  const ticketFor = async (by = tenant): Promise<string> => {
    const { body } = await by.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since noon.' } });
    return body.ticket.id;
  };
  const commentsOf = async (id: string): Promise<Json[]> => (await tenant.rest('GET', `/support/tickets/${id}/comments`)).body.comments;

  test('a ticket is linked to an incident once, gets one internal comment when the incident is resolved, and is not closed', async () => {
    const { id, number } = await openIncident(tenant);
    const [one, two] = [await ticketFor(), await ticketFor()];
    await Promise.all([one, one, one].map((ticket) => link(id, ticket)));
    const { status, body } = await link(id, two);
    expect([status, body.data.tickets.map(({ ticket_id }: Json) => ticket_id)]).toEqual([200, [two, one]]);
    const { data } = await tenant.graphql('query ($id: ID!) { incident(id: $id) { tickets { ticket { title } } } }', { id });
    expect(data.incident.tickets).toEqual([{ ticket: { title: 'Line is down' } }, { ticket: { title: 'Line is down' } }]);
    await update(id, { status: 'resolved' });
    for (const ticket of [one, two]) {
      const comments = await eventually(async () => {
        const found = await commentsOf(ticket);
        return found.length > 0 && found;
      });
      expect(comments).toMatchObject([
        { content: `The incident ${number} (Slow lines) was resolved.`, visibility: 'internal', author: { type: 'system', id } },
      ]);
      expect((await tenant.rest('GET', `/support/tickets/${ticket}`)).body.ticket.status).toBe('open');
    }
    const names = await eventually(async () => {
      const found = (await eventsOf(id)).map(({ event }) => event);
      return found.length === 4 && found;
    });
    expect(names).toEqual(['incident.opened', 'incident.updated', 'incident.updated', 'incident.resolved']);
  });

  test('linking an unknown ticket or a ticket of another organization returns 404', async () => {
    const { id } = await openIncident(tenant);
    const { tenant: other } = await tenantWithAccount();
    for (const ticket of ['ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G', await ticketFor(other)]) {
      const { status, body } = await link(id, ticket);
      expect([status, body.error.details.resource]).toEqual([404, 'ticket']);
    }
    expect((await incidentOf(tenant, id)).tickets).toEqual([]);
  });
});

describe('the list of incidents', () => {
  test('the list of incidents can be filtered by status, severity, source and time, and an invalid time range returns 400', async () => {
    const { tenant: by } = await tenantWithAccount();
    const now = (await rig()).clock.now().getTime();
    const at = (hours: number): string => new Date(now - hours * 3_600_000).toISOString();
    const old = await openIncident(by, { severity: 'minor', started_at: at(48) });
    const fresh = await openIncident(by, { severity: 'critical', started_at: at(1) });
    await update(old.id, { status: 'resolved' }, by);
    const ids = async (query: string): Promise<string[]> =>
      (await by.rest('GET', `/monitoring/incidents?${query}`)).body.data.map(({ id }: Json) => id);
    expect(await ids('')).toEqual([fresh.id, old.id]);
    expect(await ids('status=resolved')).toEqual([old.id]);
    expect(await ids('status=investigating,identified')).toEqual([fresh.id]);
    expect(await ids('severity=critical')).toEqual([fresh.id]);
    expect(await ids('source=health')).toEqual([]);
    expect(await ids(`from=${at(24)}`)).toEqual([fresh.id]);
    expect(await ids(`to=${at(24)}`)).toEqual([old.id]);
    const { status, body } = await by.rest('GET', `/monitoring/incidents?from=${at(1)}&to=${at(2)}`);
    expect([status, body.error.details.field]).toEqual([400, 'to']);
  });
});

describe('callers who are limited to accounts', () => {
  test('callers who are limited to accounts see only their own services in incidents, and can change only incidents of their services', async () => {
    const { tenant: by, accountId: own } = await tenantWithAccount();
    const other = (await createAccount(by)).id;
    const [mine, foreign] = await Promise.all([own, other].map((of) => serviceThatIs('operational', by, of)));
    const shared = await openIncident(by, { service_ids: [mine?.id, foreign?.id] });
    const hidden = await openIncident(by, { service_ids: [foreign?.id] });
    const whole = await openIncident(by, { title: 'Everybody' });
    const key = { name: 'Portal', permissions: ['monitoring:read', 'monitoring:write'], accounts: [own] };
    const { api_key } = (await by.rest('POST', '/auth/api-keys', { body: key })).body;
    const limited = new Tenant(by.origin, by.organizationId, api_key.key);
    const list = (await limited.rest('GET', '/monitoring/incidents')).body.data;
    expect(list.map(({ id }: Json) => id)).toEqual([shared.id]);
    expect(list[0].services.map(({ service_id }: Json) => service_id)).toEqual([mine?.id]);
    expect((await limited.rest('GET', `/monitoring/incidents?service_id=${foreign?.id}`)).body.data).toEqual([]);
    for (const { id } of [hidden, whole]) {
      expect((await limited.rest('GET', `/monitoring/incidents/${id}`)).status).toBe(404);
      expect((await update(id, { status: 'resolved' }, limited)).status).toBe(404);
    }
    const refused = await update(shared.id, { status: 'resolved' }, limited);
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'account_scope']);
    const created = await openIncident(limited, { service_ids: [mine?.id] });
    expect((await update(created.id, { status: 'resolved' }, limited)).status).toBe(200);
    const none = await limited.rest('POST', '/monitoring/incidents', { body: { title: 'Of no service' } });
    expect([none.status, none.body.error.details.field]).toEqual([400, 'service_ids']);
    const unseen = await limited.rest('POST', '/monitoring/incidents', { body: { title: 'Foreign', service_ids: [foreign?.id] } });
    expect(unseen.status).toBe(404);
  });
});
