import { z } from 'zod';
import { defineEvent } from '../../../kernel/events/events.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { about } from '../tickets/ticket.events.ts';

/** Tells the monitoring domain which ticket was opened for its event `alert.ticket_requested`. */
export const ticketOpenedForAlert = defineEvent(
  {
    name: 'ticket.opened_for_alert',
    family: 'support',
    isInternal: true,
    description: 'A ticket was opened for an alert.',
    data: z.strictObject({ ticket_id: z.string(), alert_ticket_id: z.string() }),
    example: { ticket_id: 'ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G', alert_ticket_id: 'altkt_01JQ8Z6V4T9M3N2B1C0D9E8F7G' },
  },
  (ticket: Ticket, alertTicketId: string) => ({
    ...about(ticket),
    data: { ticket_id: ticket.id, alert_ticket_id: alertTicketId },
  }),
);
