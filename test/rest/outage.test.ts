import { expect, test } from 'vitest';
import { alertOf, createAlert, MINUTE_MS } from '../alerts.setup.ts';
import { follow } from '../events/live.setup.ts';
import { receiver } from '../events/receiver.ts';
import { incidentOf, incidentsOf, mend } from '../incidents.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { minutesPass, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

/** From the beginning of an outage until people are told, with the default limits. */
const TOLD_WITHIN_MS = 4 * MINUTE_MS;
/** From the evaluation that finds the condition met until the event is at webhook and socket. */
const SENT_WITHIN_MS = 30_000;

/** Runs `act` in each minute, after the monitoring domain has the measurement of this minute, until the result is truthy. */
async function eachMinute<T>(tenant: Tenant, serviceId: string, act: () => Promise<T>): Promise<NonNullable<T>> {
  for (let minute = 0; minute < 6; minute += 1) {
    const found = await act();
    if (found) return found;
    const { performance_metrics: measured } = await minutesPass(1, tenant, serviceId);
    await eventually(async () => (await lastSampleOf(serviceId)) >= Date.parse(measured.measured_at));
  }
  throw new Error('nothing was found in six minutes');
}

/** Returns the time of the newest sample of the metric `up` of a service in the monitoring domain. */
async function lastSampleOf(serviceId: string): Promise<number> {
  const [found] = await (await rows()).query<{ at: string | null }>(
    `select max(x."at") as "at" from "monitoring"."sample" x join "monitoring"."series" s on s."id" = x."series_id"
     join "monitoring"."metric" m on m."id" = s."metric_id" where s."service_id" = $1 and m."name" = 'up'`,
    [serviceId],
  );
  return found?.at ? new Date(found.at).getTime() : 0;
}

test('an outage is followed from the samples to status, alert, incident, ticket, webhook, socket, log and report', async () => {
  const platform: Rig = await rig();
  const { tenant, accountId } = await tenantWithAccount();
  const { id: serviceId } = await serviceThatIs('operational', tenant, accountId);
  await minutesPass(1, tenant, serviceId);
  const { url, arrivals } = await receiver();
  const events = ['service.down', 'service.restored', 'alert.*', 'incident.*'];
  expect((await tenant.rest('POST', '/webhooks', { body: { url, events } })).status).toBe(201);
  const sockets = {
    alertUpdated: follow(tenant, 'subscription { alertUpdated { event alert { id state } } }'),
    incidentUpdated: follow(tenant, 'subscription { incidentUpdated { event incident { id status } } }'),
    logTail: follow(tenant, 'subscription ($ids: [ID!]) { logTail(serviceIds: $ids) { entries { message } } }', { ids: [serviceId] }),
  };
  const arrival = (name: string, fits: (data: Json) => boolean = () => true): Promise<Json> =>
    eventually(() => arrivals.map(({ event }) => event).find(({ event, data }) => event === name && fits(data)), SENT_WITHIN_MS);
  const alert = await createAlert(tenant, {
    ...{ name: 'Line is down', service_id: serviceId, metric: 'up', aggregation: 'last', condition: 'below', threshold: 1 },
    ...{ severity: 'critical', open_incident: true, open_ticket: 'critical' },
  });

  // the alert is evaluated every minute
  const evaluated = (): Promise<unknown> =>
    eventually(async () => Date.parse((await alertOf(tenant, alert.id)).evaluated_at) > clock.now().getTime() - MINUTE_MS);

  // the provider's line fails
  const began = clock.now().getTime();
  const beganReal = performance.now();
  await tenant.rest('PUT', `/services/${serviceId}`, { body: { name: 'Branch SIM-DOWN' } });
  await eachMinute(tenant, serviceId, async () => {
    await evaluated();
    const { data } = (await tenant.rest('GET', `/services/${serviceId}/status`)).body;
    return data.status === 'down' && (await alertOf(tenant, alert.id)).state === 'firing';
  });

  // status: three paths, one record
  const paths = [`/services/${serviceId}/status`, `/services/${serviceId}/health`, `/monitoring/services/${serviceId}/status`];
  const records = await Promise.all(paths.map(async (path) => (await tenant.rest('GET', path)).body.data));
  expect(records[0].status).toBe('down');
  // the uptime of a service that is down falls between two requests
  const record = { ...records[0], uptime_percentage: expect.any(Number) };
  expect(records[1]).toMatchObject(record);
  expect(records[2]).toEqual(record);

  // webhook and socket, in time
  const [down, firing, opened] = [await arrival('service.down'), await arrival('alert.firing'), await arrival('incident.opened')];
  // the time that the machine itself took does not count: it depends on what else it does
  const tookMs = performance.now() - beganReal;
  for (const { timestamp } of [down, firing, opened]) expect(Date.parse(timestamp) - began - tookMs).toBeLessThanOrEqual(TOLD_WITHIN_MS);
  expect(firing.data).toMatchObject({ alert: { id: alert.id, service_id: serviceId }, instance: { state: 'firing', value: 0 } });
  await eventually(() => sockets.alertUpdated.of('alertUpdated').some(({ event }: Json) => event === 'alert.firing'), SENT_WITHIN_MS);
  await eventually(
    () => sockets.incidentUpdated.of('incidentUpdated').some(({ event }: Json) => event === 'incident.opened'),
    SENT_WITHIN_MS,
  );

  // one incident, of health and alert together, with the ticket of the alert, and one that a caller has linked
  const incident = await eventually(async () => {
    const [found, ...others] = await incidentsOf(tenant, serviceId);
    expect(others).toEqual([]);
    return found?.alerts.length === 1 && found.services[0].impact === 'down' && found.tickets.length === 1 && found;
  });
  expect(incident).toMatchObject({ severity: 'critical', alerts: [{ alert_id: alert.id }], services: [{ service_id: serviceId }] });
  const automaticId: string = incident.tickets[0].ticket_id;
  const { id: ticketId } = await openTicket(tenant, { service_affected: serviceId });
  await tenant.rest('POST', `/monitoring/incidents/${incident.id}/tickets`, { body: { ticket_id: ticketId } });
  const query = `query ($id: ID!) { service(id: $id) { status incidents { id tickets { ticket { id status incidents { id } } } } alerts { state } } }`;
  const { data } = await tenant.graphql(query, { id: serviceId });
  expect(data.service).toEqual({
    status: 'DOWN',
    incidents: [
      {
        id: incident.id,
        tickets: [ticketId, automaticId].map((id) => ({ ticket: { id, status: 'OPEN', incidents: [{ id: incident.id }] } })),
      },
    ],
    alerts: [{ state: 'FIRING' }],
  });
  const { body: overall } = await tenant.rest('GET', '/monitoring/status');
  expect(overall.data).toMatchObject({ status: 'major_outage', open_incident_count: 1 });

  // the line works again: five minutes later the incident has ended, and its tickets say so and stay open
  await mend(tenant, serviceId);
  await arrival('service.restored');
  // the last evaluation may have been before the last measurement was stored
  await eachMinute(tenant, serviceId, async () => {
    await evaluated();
    return (await alertOf(tenant, alert.id)).state === 'ok';
  });
  await arrival('alert.resolved');
  const resolved = await eachMinute(tenant, serviceId, async () => {
    await platform.advance(MINUTE_MS);
    const found = await incidentOf(tenant, incident.id);
    return found.status === 'resolved' && found;
  });
  await arrival('incident.resolved', ({ incident: { id } }) => id === incident.id);
  for (const id of [ticketId, automaticId]) {
    await eventually(async () => {
      const { comments } = (await tenant.rest('GET', `/support/tickets/${id}/comments`)).body;
      return comments.some(({ content }: Json) => content.includes(incident.number));
    });
    expect((await tenant.rest('GET', `/support/tickets/${id}`)).body.ticket.status).toBe('open');
  }

  // log and report
  const log = await tenant.rest('GET', `/monitoring/logs/${serviceId}?from=${new Date(began).toISOString()}`);
  expect(log.status).toBe(200);
  const messages: string[] = log.body.data.map(({ message }: Json) => message);
  expect(
    messages.some((message) => /down/i.test(message)),
    JSON.stringify(messages),
  ).toBe(true);
  await eventually(() => sockets.logTail.of('logTail').some(({ entries }: Json) => entries.length > 0));
  const { body: analytics } = await tenant.rest('GET', `/analytics/performance?date_range=7d&service_ids=${serviceId}`);
  expect(analytics.data.incidents).toMatchObject({ opened: 1 });
  const seconds = (Date.parse(resolved.resolved_at) - Date.parse(resolved.started_at)) / 1000;
  const range = { start: new Date(began - MINUTE_MS).toISOString(), end: clock.now().toISOString() };
  const body = { report_type: 'incidents', date_range: range, service_ids: [serviceId], format: 'csv' };
  const created = await tenant.rest('POST', '/analytics/reports', { body });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const link = await eventually(
    async () => (await tenant.rest('GET', `/analytics/reports/${created.body.data.id}`)).body.data.download_url,
  );
  const [header = '', row = ''] = (await (await fetch(link)).text()).split('\r\n');
  const report = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]));
  expect(report).toMatchObject({ incidents_opened: '1', incidents_resolved: '1', mean_seconds_to_resolve: String(seconds) });
  expect(Object.values(sockets).map((socket) => socket.errors())).toEqual([[], [], []]);
}, 120_000);
