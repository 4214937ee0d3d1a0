import { get, post, put, type Route, view } from '../route.ts';

const incident = view(
  'Incident',
  `{
  ...fields
  services(limit: 50) { serviceId accountId impact beganAt endedAt }
  updates(limit: 20) { id status message changedBy createdAt }
  tickets(limit: 50) { ticketId createdAt }
  alerts(limit: 50) { alertId instanceId serviceId labels beganAt endedAt }
}`,
);

/** REST routes of incidents (specification 4.6). */
export const incidentRoutes: readonly Route[] = [
  get('listIncidents', '/monitoring/incidents', 'incidents', {
    summary: 'List incidents',
    description:
      'Lists incidents, newest first, each with its newest 50 services, 20 updates, 50 tickets and 50 alerts. `from` and `to` limit the time at which the disturbance began.',
    select: incident,
  }),
  post('createIncident', '/monitoring/incidents', 'createIncident', {
    summary: 'Open an incident',
    description:
      'Opens an incident. The platform also opens incidents itself when a service is measured as degraded or down, or when an alert with `open_incident` fires. An incident that a caller opens is resolved by a caller, unless `resolves_itself` is set.',
    select: incident,
    addition: true,
    example: { title: 'Slow lines in Boston', severity: 'minor', message: 'We see packet loss at the exchange.' },
  }),
  get('getIncident', '/monitoring/incidents/{incident_id}', 'incident', {
    summary: 'Get an incident',
    select: incident,
    addition: true,
  }),
  put('updateIncident', '/monitoring/incidents/{incident_id}', 'updateIncident', {
    summary: 'Update an incident',
    errors: { INVALID_STATE: 'the incident is resolved' },
    description:
      'Changes an incident. `status` and `message` become an entry of the timeline. An incident whose status a caller has set no longer resolves itself, unless `resolves_itself` is true.',
    select: incident,
    addition: true,
    example: { status: 'identified', message: 'An excavator cut the fiber. A team is on its way.' },
  }),
  post('linkIncidentTicket', '/monitoring/incidents/{incident_id}/tickets', 'linkIncidentTicket', {
    summary: 'Link a ticket to an incident',
    errors: { INVALID_STATE: 'the incident has 50 tickets' },
    description:
      'Links a ticket to an incident. If the ticket is already linked, nothing changes. When the incident is resolved, the ticket gets an internal comment; it is not closed. Open a ticket with `POST /support/tickets`.',
    status: 200,
    select: incident,
    addition: true,
    example: { ticket_id: 'ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G' },
  }),
];
