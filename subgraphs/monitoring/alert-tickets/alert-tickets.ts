import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { ALARMING } from '../alerts/alert.states.ts';
import { AlertInstance } from '../alerts/alert-instance.entity.ts';
import type { Incident } from '../incidents/incident.entity.ts';
import { CALM_MS } from '../incidents/incident-health.ts';
import { IncidentTicket } from '../incidents/incident-ticket.entity.ts';
import { AlertTicket } from './alert-ticket.entity.ts';
import { alertTicketEnded, alertTicketRequested, isOpened, type TicketContent } from './alert-ticket.events.ts';

/** The alert for which a ticket is requested. */
export interface AlertOfTicket {
  id: string;
  organizationId: string;
  accountId: string | null;
}

/**
 * Requests the ticket of an alert that fires: one for each open incident or, without an incident, one until no instance of the alert
 * fires any more. Nothing is requested for an incident that already has a ticket. The transaction must hold the lock of the
 * incidents of the organization (`lockIncidents`), so that two alerts cannot request two tickets.
 */
export async function requestTicket(
  tx: EntityManager,
  { id: alertId, organizationId, accountId }: AlertOfTicket,
  incident: Incident | null,
  content: TicketContent,
  now: Date,
): Promise<void> {
  const known = await (incident ? tx.findOne(AlertTicket, { incidentId: incident.id }) : openTicketOf(tx, alertId));
  if (known) {
    known.endDueAt = null;
    return;
  }
  if (incident && (incident.resolvedAt || (await hasTicket(tx, incident)))) return;
  const facts = { organizationId, alertId, accountId, incidentId: incident?.id ?? null, createdAt: now };
  const ticket = Object.assign(new AlertTicket(), { id: newId('alertTicket'), ...facts });
  tx.persist(ticket);
  await record(tx, alertTicketRequested(ticket, incident, content));
}

/** If no instance of an alert fires any more, the ticket that it opened for itself begins to wait for its end. */
export async function calmTicket(tx: EntityManager, alertId: string, since: Date): Promise<void> {
  const ticket = await openTicketOf(tx, alertId);
  if (ticket && !(await fires(tx, alertId))) ticket.endDueAt = new Date(since.getTime() + CALM_MS);
}

/**
 * Ends the ticket that an alert opened for itself, unless the alert fires again. If the support domain has not opened the ticket yet,
 * it is told when it has.
 */
export async function endTicket(tx: EntityManager, ticket: AlertTicket, now: Date): Promise<void> {
  ticket.endDueAt = null;
  if (await fires(tx, ticket.alertId)) return;
  ticket.endedAt = now;
  if (isOpened(ticket)) await record(tx, alertTicketEnded(ticket, null, now));
}

const openTicketOf = (tx: EntityManager, alertId: string): Promise<AlertTicket | null> =>
  tx.findOne(AlertTicket, { alertId, incidentId: null, endedAt: null });

const hasTicket = async (tx: EntityManager, { id: incidentId, organizationId }: Incident): Promise<boolean> =>
  (await tx.count(IncidentTicket, { organizationId, incidentId }, EVERYWHERE)) > 0;

/** Returns true if an instance of an alert fires of which people were notified. Only such instances are reported when they end. */
const fires = async (tx: EntityManager, alertId: string): Promise<boolean> =>
  (await tx.count(AlertInstance, { alertId, state: { $in: [...ALARMING] }, notifiedAt: { $ne: null } })) > 0;
