import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../kernel/records/states.ts';
import type { TicketPriority } from '../../kernel/values/ticket-priority.ts';

export enum TicketStatus {
  OPEN = 'open',
  IN_PROGRESS = 'in_progress',
  ESCALATED = 'escalated',
  RESOLVED = 'resolved',
}
registerEnumType(TicketStatus, {
  name: 'TicketStatus',
  description: 'State of a ticket in its life cycle.',
  valuesConfig: {
    OPEN: { description: 'Nobody has started to work on it.' },
    IN_PROGRESS: { description: 'An agent works on it.' },
    ESCALATED: { description: 'It needs attention from a higher level.' },
    RESOLVED: { description: 'Solved. A comment of the customer reopens it.' },
  },
});

export const URGENCY: Readonly<Record<TicketPriority, number>> = { low: 1, medium: 2, high: 3, critical: 4 };

/** Highest escalation level of a ticket. */
export const MAX_ESCALATION_LEVEL = 5;

/**
 * State machine of tickets; see docs/decisions/tickets.md. A ticket that waits for the customer has a flag, not a state
 * of its own.
 */
export const ticketStates = new StateMachine<TicketStatus>('ticket', {
  open: [TicketStatus.IN_PROGRESS, TicketStatus.ESCALATED, TicketStatus.RESOLVED],
  in_progress: [TicketStatus.OPEN, TicketStatus.ESCALATED, TicketStatus.RESOLVED],
  escalated: [TicketStatus.IN_PROGRESS, TicketStatus.RESOLVED],
  resolved: [TicketStatus.OPEN],
});
