import { z } from 'zod';
import type { Ports } from '../../../kernel/domain.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce, record } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Incident } from '../incidents/incident.entity.ts';
import { incidentUpdated } from '../incidents/incident.events.ts';
import { addTicket, recordChange } from '../incidents/incident-changes.ts';
import { AlertTicket } from './alert-ticket.entity.ts';
import { alertTicketEnded, isOpened } from './alert-ticket.events.ts';

const NAME = 'monitoring.ticket-opened';

/** The fields of the event `ticket.opened_for_alert` that this domain uses. */
const opened = z.object({ data: z.object({ alert_ticket_id: z.string(), ticket_id: z.string() }) });

/**
 * Returns the reaction that links a ticket to the alert that opened it, and to its incident. If alert or incident have ended in the
 * meantime, the ticket is told now.
 */
export const ticketOpened = ({ orm, clock }: Pick<Ports, 'orm' | 'clock'>): Reaction => ({
  name: NAME,
  on: 'ticket.opened_for_alert',
  async handle({ id: eventId, organizationId, payload }) {
    const { alert_ticket_id: id, ticket_id: ticketId } = opened.parse(JSON.parse(payload)).data;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, eventId, NAME))) return;
      const ticket = await tx.findOne(AlertTicket, { id }, LOCKED);
      if (!ticket) return;
      ticket.ticketId = ticketId;
      const now = clock.now();
      const incident = ticket.incidentId === null ? null : await tx.findOne(Incident, { id: ticket.incidentId }, LOCKED);
      if (incident && (await addTicket(tx, incident, ticketId, now))) await recordChange(tx, incident, incidentUpdated, null);
      if (isOpened(ticket) && (ticket.endedAt ?? incident?.resolvedAt)) await record(tx, alertTicketEnded(ticket, incident, now));
    });
  },
});
