import { TicketStatus } from '../ticket.states.ts';
import type { Follower } from '../tickets/ticket-editor.ts';
import { TicketAutomation } from './ticket-automation.entity.ts';

/** What a rule has going on with a ticket ends when it is resolved, and counts from the reopening when it is reopened. */
export const followWithAutomations: Follower = async (tx, { id: ticketId }, changes, now) => {
  if (changes.status?.to !== TicketStatus.RESOLVED && changes.status?.from !== TicketStatus.RESOLVED) return;
  for (const automation of await tx.find(TicketAutomation, { ticketId })) {
    if (changes.status.to === TicketStatus.RESOLVED) automation.dueAt = null;
    else automation.startAt(now);
  }
};
