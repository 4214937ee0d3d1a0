import { TicketStatus } from '../ticket.states.ts';
import type { Follower } from '../tickets/ticket-editor.ts';
import { TicketAutomation } from './ticket-automation.entity.ts';

/**
 * Stops the automations of a ticket when the ticket is resolved. Restarts the intervals of the automations when the
 * ticket is reopened.
 */
export const followWithAutomations: Follower = async (tx, { id: ticketId }, changes, now) => {
  if (changes.status?.to !== TicketStatus.RESOLVED && changes.status?.from !== TicketStatus.RESOLVED) return;
  for (const automation of await tx.find(TicketAutomation, { ticketId })) {
    if (changes.status.to === TicketStatus.RESOLVED) automation.dueAt = null;
    else automation.startAt(now);
  }
};
