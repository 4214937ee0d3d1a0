import type { EntityManager } from '../../../kernel/database/database.ts';
import type { EventFactory } from '../../../kernel/events/events.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber } from '../../../kernel/records/numbers.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { AffectedService } from './affected-service.entity.ts';
import { Incident } from './incident.entity.ts';
import { type IncidentFacts, SERVICES_IN_EVENT } from './incident.events.ts';
import { IncidentTicket } from './incident-ticket.entity.ts';
import { IncidentUpdate } from './incident-update.entity.ts';

type NewIncident = Pick<Incident, 'title' | 'severity' | 'source' | 'startedAt'> & Partial<Incident>;

/** Creates an incident with the next incident number of the organization. The caller adds its services and its first update. */
export async function createIncident(tx: EntityManager, organizationId: string, values: NewIncident, now: Date): Promise<Incident> {
  const number = `INC-${await nextNumber(tx, 'incident_counter', organizationId)}`;
  const known = { id: newId('incident'), organizationId, number, createdAt: now, updatedAt: now };
  const incident = Object.assign(new Incident(), values, known);
  tx.persist(incident);
  // the rows of its services refer to it
  await tx.flush();
  return incident;
}

/** Adds a service to an incident. */
export function addService(
  tx: EntityManager,
  { id: incidentId, organizationId }: Incident,
  service: { id: string; accountId: string },
  now: Date,
): AffectedService {
  const { id: serviceId, accountId } = service;
  const known = { id: newId('incidentService'), organizationId, incidentId, serviceId, accountId, createdAt: now };
  const affected = Object.assign(new AffectedService(), known);
  tx.persist(affected);
  return affected;
}

/** Links a ticket to a locked incident. Returns false if they are linked already. */
export async function addTicket(tx: EntityManager, incident: Incident, ticketId: string, now: Date): Promise<boolean> {
  const { id: incidentId, organizationId } = incident;
  if ((await tx.count(IncidentTicket, { organizationId, incidentId, ticketId }, EVERYWHERE)) > 0) return false;
  tx.persist(Object.assign(new IncidentTicket(), { id: newId('incidentTicket'), organizationId, incidentId, ticketId, createdAt: now }));
  incident.updatedAt = now;
  return true;
}

/** The content and the author of a timeline entry. `changedBy` is null if the platform wrote the entry. */
export interface Said {
  message: string | null;
  changedBy: string | null;
}

type IncidentEvent = EventFactory<[Incident, IncidentFacts, IncidentUpdate | null]>;

/**
 * Records the event about a change of a locked incident, and adds the timeline entry of the change, if there is one. Call it as the last
 * step of the change.
 */
export async function recordChange(tx: EntityManager, incident: Incident, event: IncidentEvent, said: Said | null): Promise<void> {
  const { id: incidentId, organizationId, status, updatedAt: createdAt } = incident;
  const update =
    said && Object.assign(new IncidentUpdate(), { ...said, id: newId('incidentUpdate'), organizationId, incidentId, status, createdAt });
  if (update) tx.persist(update);
  await tx.flush();
  await record(tx, event(incident, await factsOf(tx, incident), update));
}

/** Returns the facts that an event about an incident contains in addition to its record, for all accounts. */
async function factsOf(tx: EntityManager, { id: incidentId, organizationId }: Incident): Promise<IncidentFacts> {
  const where = { organizationId, incidentId };
  const services = await tx.find(AffectedService, where, {
    ...EVERYWHERE,
    orderBy: { createdAt: 'asc', id: 'asc' },
    limit: SERVICES_IN_EVENT,
  });
  const [counted] = await tx.execute<{ services: number; accounts: number }[]>(
    `select count(*)::int as "services", count(distinct "account_id")::int as "accounts" from "monitoring"."incident_service" where "incident_id" = ?`,
    [incidentId],
  );
  const tickets = await tx.find(IncidentTicket, where, { ...EVERYWHERE, orderBy: { createdAt: 'asc', id: 'asc' } });
  return {
    services,
    serviceCount: counted?.services ?? 0,
    accountId: counted?.accounts === 1 ? (services[0]?.accountId ?? null) : null,
    ticketIds: tickets.map(({ ticketId }) => ticketId),
  };
}
