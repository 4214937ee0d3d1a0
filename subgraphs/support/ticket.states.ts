import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../kernel/records/states.ts';

export enum TicketStatus {
  OPEN = 'open',
  IN_PROGRESS = 'in_progress',
  ESCALATED = 'escalated',
  RESOLVED = 'resolved',
}
registerEnumType(TicketStatus, { name: 'TicketStatus', description: 'Specification 3.1.' });

export enum TicketPriority {
  LOW = 'low',
  MEDIUM = 'medium',
  HIGH = 'high',
  CRITICAL = 'critical',
}
registerEnumType(TicketPriority, { name: 'TicketPriority' });

export const URGENCY: Readonly<Record<TicketPriority, number>> = { low: 1, medium: 2, high: 3, critical: 4 };

/** Highest escalation level of a ticket. */
export const MAX_ESCALATION_LEVEL = 5;

/** State machine of tickets; see docs/decisions/tickets.md. Waiting for the customer is a flag, not a fifth state. */
export const ticketStates = new StateMachine<TicketStatus>('ticket', {
  open: [TicketStatus.IN_PROGRESS, TicketStatus.ESCALATED, TicketStatus.RESOLVED],
  in_progress: [TicketStatus.OPEN, TicketStatus.ESCALATED, TicketStatus.RESOLVED],
  escalated: [TicketStatus.IN_PROGRESS, TicketStatus.RESOLVED],
  resolved: [TicketStatus.OPEN],
});
