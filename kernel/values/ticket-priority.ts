import { registerEnumType } from 'type-graphql';

/** Urgency of a ticket. The subgraphs `support` and `monitoring` share this type. */
export enum TicketPriority {
  LOW = 'low',
  MEDIUM = 'medium',
  HIGH = 'high',
  CRITICAL = 'critical',
}
registerEnumType(TicketPriority, {
  name: 'TicketPriority',
  description: 'Urgency of a ticket.',
  valuesConfig: {
    LOW: { description: 'No urgency.' },
    MEDIUM: { description: 'Normal urgency. The default.' },
    HIGH: { description: 'Urgent.' },
    CRITICAL: { description: 'Most urgent. Its service level clocks run at all hours.' },
  },
});
