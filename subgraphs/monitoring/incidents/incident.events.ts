import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { AffectedService } from './affected-service.entity.ts';
import type { Incident } from './incident.entity.ts';
import { IncidentImpact, IncidentSeverity, IncidentSource, IncidentStatus } from './incident.states.ts';
import type { IncidentUpdate } from './incident-update.entity.ts';

/** Maximum number of services that an event lists. */
export const SERVICES_IN_EVENT = 50;

/** Facts about an incident that its events contain in addition to its record. */
export interface IncidentFacts {
  /** The first services of the incident, at most `SERVICES_IN_EVENT`. */
  services: readonly AffectedService[];
  serviceCount: number;
  /** Account of all services. Null if they have several accounts, or if there are no services. */
  accountId: string | null;
  ticketIds: readonly string[];
}

const incidentPayload = z.strictObject({
  id: z.string(),
  number: z.string(),
  title: z.string(),
  status: z.enum(IncidentStatus),
  severity: z.enum(IncidentSeverity),
  source: z.enum(IncidentSource),
  provider: z.string().nullable(),
  area: z.string().nullable().describe('City and state of the services. Null if it is not known.'),
  resolves_itself: z.boolean(),
  services: z
    .array(
      z.strictObject({
        service_id: z.string(),
        account_id: z.string(),
        impact: z
          .enum(IncidentImpact)
          .nullable()
          .describe('Effect on the service, as measured. Null while the service is not measured as degraded or down.'),
        began_at: timestamp.nullable(),
        ended_at: timestamp.nullable(),
      }),
    )
    .describe(`The first ${SERVICES_IN_EVENT} services.`),
  service_count: z.number().describe('Number of all services.'),
  ticket_ids: z.array(z.string()),
  started_at: timestamp,
  identified_at: timestamp.nullable(),
  resolved_at: timestamp.nullable(),
  duration_seconds: z.number().nullable().describe('Null while the incident is open.'),
  created_at: timestamp,
  updated_at: timestamp,
});

const incidentUpdatePayload = z
  .strictObject({
    id: z.string(),
    status: z.enum(IncidentStatus),
    message: z.string().nullable(),
    changed_by: z.string().nullable(),
    created_at: timestamp,
  })
  .nullable()
  .describe('The new entry of the timeline. Null if none was added.');

const incidentExample: z.input<typeof incidentPayload> = {
  id: 'inc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  number: 'INC-1001',
  title: 'Outage in New York, NY',
  status: IncidentStatus.INVESTIGATING,
  severity: IncidentSeverity.MAJOR,
  source: IncidentSource.HEALTH,
  provider: 'simulated',
  area: 'New York, NY',
  resolves_itself: true,
  services: [
    {
      service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      impact: IncidentImpact.DOWN,
      began_at: '2026-01-31T14:02:11.000Z',
      ended_at: null,
    },
  ],
  service_count: 1,
  ticket_ids: [],
  started_at: '2026-01-31T14:02:11.000Z',
  identified_at: null,
  resolved_at: null,
  duration_seconds: null,
  created_at: '2026-01-31T14:02:11.500Z',
  updated_at: '2026-01-31T14:02:11.500Z',
};

const updateExample: z.input<typeof incidentUpdatePayload> = {
  id: 'incupd_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  status: IncidentStatus.INVESTIGATING,
  message: 'A service is down. The connection is down.',
  changed_by: null,
  created_at: '2026-01-31T14:02:11.500Z',
};

const family = 'monitoring';
const data = z.strictObject({ incident: incidentPayload, update: incidentUpdatePayload });

export const incidentOpened = defineEvent(
  {
    name: 'incident.opened',
    family,
    description: 'An incident was opened, because a service does not work, or by a caller.',
    data,
    example: { incident: incidentExample, update: updateExample },
  },
  draft,
);

export const incidentUpdated = defineEvent(
  {
    name: 'incident.updated',
    family,
    description: 'An incident changed: its status, severity, title, tickets or services, or somebody wrote an update.',
    data,
    example: {
      incident: { ...incidentExample, status: IncidentStatus.IDENTIFIED, identified_at: '2026-01-31T14:20:00.000Z' },
      update: { ...updateExample, status: IncidentStatus.IDENTIFIED, message: 'An excavator cut the fiber.' },
    },
  },
  draft,
);

export const incidentResolved = defineEvent(
  {
    name: 'incident.resolved',
    family,
    description: 'An incident has ended.',
    data,
    example: {
      incident: {
        ...incidentExample,
        status: IncidentStatus.RESOLVED,
        resolves_itself: false,
        resolved_at: '2026-01-31T15:20:45.000Z',
        duration_seconds: 4714,
      },
      update: { ...updateExample, status: IncidentStatus.RESOLVED, message: 'All services have worked for five minutes.' },
    },
  },
  draft,
);

export const incidentEvents = [incidentOpened.type, incidentUpdated.type, incidentResolved.type];

function draft(incident: Incident, facts: IncidentFacts, update: IncidentUpdate | null) {
  const { organizationId, updatedAt, id } = incident;
  return {
    organizationId,
    occurredAt: updatedAt,
    subject: { type: 'Incident', id },
    accountId: facts.accountId,
    data: { incident: payloadOf(incident, facts), update: update && updateOf(update) },
  };
}

const payloadOf = (incident: Incident, { services, serviceCount, ticketIds }: IncidentFacts): z.input<typeof incidentPayload> => ({
  id: incident.id,
  number: incident.number,
  title: incident.title,
  status: incident.status,
  severity: incident.severity,
  source: incident.source,
  provider: incident.provider,
  area: incident.area,
  resolves_itself: incident.resolvesItself,
  services: services.map(({ serviceId, accountId, impact, beganAt, endedAt }) => ({
    service_id: serviceId,
    account_id: accountId,
    impact,
    began_at: beganAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  })),
  service_count: serviceCount,
  ticket_ids: [...ticketIds],
  started_at: incident.startedAt.toISOString(),
  identified_at: incident.identifiedAt?.toISOString() ?? null,
  resolved_at: incident.resolvedAt?.toISOString() ?? null,
  duration_seconds: incident.durationSeconds,
  created_at: incident.createdAt.toISOString(),
  updated_at: incident.updatedAt.toISOString(),
});

const updateOf = ({ id, status, message, changedBy, createdAt }: IncidentUpdate): z.input<typeof incidentUpdatePayload> => ({
  id,
  status,
  message,
  changed_by: changedBy,
  created_at: createdAt.toISOString(),
});
