import { z } from 'zod';
import { defineEvent } from '../../../kernel/events/events.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { Incident } from '../incidents/incident.entity.ts';
import type { AlertTicket } from './alert-ticket.entity.ts';

/** Content of a ticket that an alert opens. */
export interface TicketContent {
  title: string;
  description: string;
  priority: TicketPriority;
  /** Service of the alert, to whose account the ticket belongs. Null if it belongs to the organization's own account. */
  serviceId: string | null;
}

const incident = z.strictObject({ id: z.string(), number: z.string(), title: z.string() }).nullable();
const incidentExample = { id: 'inc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', number: 'INC-1001', title: 'High latency' };
const family = 'monitoring';

/** Asks the support domain to open a ticket. It responds with `ticket.opened_for_alert`. */
export const alertTicketRequested = defineEvent(
  {
    name: 'alert.ticket_requested',
    family,
    isInternal: true,
    description: 'An alert fires that opens a ticket.',
    data: z.strictObject({
      alert_ticket_id: z.string().describe('Identifies the ticket before it has an id.'),
      alert_id: z.string(),
      incident,
      ticket: z.strictObject({
        title: z.string(),
        description: z.string(),
        priority: z.enum(TicketPriority),
        service_id: z.string().nullable(),
      }),
    }),
    example: {
      alert_ticket_id: 'altkt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      alert_id: 'alrt_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      incident: incidentExample,
      ticket: {
        title: 'High latency',
        description: 'An alert on latency_ms fires.',
        priority: TicketPriority.HIGH,
        service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      },
    },
  },
  (wanted: AlertTicket, of: Incident | null, { serviceId, ...ticket }: TicketContent) => ({
    ...about(wanted, wanted.createdAt),
    data: {
      alert_ticket_id: wanted.id,
      alert_id: wanted.alertId,
      incident: incidentOf(of),
      ticket: { ...ticket, service_id: serviceId },
    },
  }),
);

/**
 * Tells the support domain that what a ticket was opened for has ended. If an incident is resolved that the ticket is linked to, the
 * event `incident.resolved` tells it instead.
 */
export const alertTicketEnded = defineEvent(
  {
    name: 'alert.ticket_ended',
    family,
    isInternal: true,
    description: 'The alert or incident for which a ticket was opened has ended.',
    data: z.strictObject({ ticket_id: z.string(), alert_id: z.string(), incident }),
    example: { ticket_id: 'ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G', alert_id: 'alrt_01JQ8Z6V4T9M3N2B1C0D9E8F7G', incident: incidentExample },
  },
  (ticket: OpenedTicket, of: Incident | null, now: Date) => ({
    ...about(ticket, now),
    data: { ticket_id: ticket.ticketId, alert_id: ticket.alertId, incident: incidentOf(of) },
  }),
);

/** An alert ticket whose ticket is known. */
type OpenedTicket = AlertTicket & { ticketId: string };
export const isOpened = (ticket: AlertTicket): ticket is OpenedTicket => ticket.ticketId !== null;

export const alertTicketEvents = [alertTicketRequested.type, alertTicketEnded.type];

const about = ({ organizationId, accountId, alertId }: AlertTicket, occurredAt: Date) => ({
  organizationId,
  occurredAt,
  subject: { type: 'Alert', id: alertId },
  accountId,
});

const incidentOf = (of: Incident | null): z.input<typeof incident> => of && { id: of.id, number: of.number, title: of.title };
