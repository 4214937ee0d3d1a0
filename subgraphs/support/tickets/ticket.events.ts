import { z } from 'zod';
import { changes, defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { TicketStatus } from '../ticket.states.ts';
import { formatMinutes } from '../working-time/durations.ts';
import type { Ticket } from './ticket.entity.ts';

const { OPEN, IN_PROGRESS, RESOLVED, ESCALATED } = TicketStatus;

/**
 * Schema of the ticket in event payloads. Events about comments also contain the ticket, because webhook filters compare
 * the customer and the priority of the ticket.
 */
export const ticketPayload = z.strictObject({
  id: z.string(),
  number: z.string(),
  title: z.string(),
  status: z.enum(TicketStatus),
  priority: z.enum(TicketPriority),
  severity: z.string().nullable(),
  category: z.string(),
  subcategory: z.string().nullable(),
  customer_id: z.string().nullable(),
  service_affected: z.string().nullable(),
  assigned_to: z.string(),
  escalation_level: z.int(),
  escalation_reason: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
const withChanges = z.strictObject({ ticket: ticketPayload, changes });

export const ticketExample: z.input<typeof ticketPayload> = {
  id: 'ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  number: 'TKT-1042',
  title: 'Internet connection is down',
  status: OPEN,
  priority: TicketPriority.HIGH,
  severity: 'business_impacting',
  category: 'connectivity',
  subcategory: null,
  customer_id: 'cust_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  service_affected: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  assigned_to: 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  escalation_level: 0,
  escalation_reason: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
};
const changed = (from: TicketStatus, to: TicketStatus, more: Partial<typeof ticketExample> = {}): z.input<typeof withChanges> => ({
  ticket: { ...ticketExample, status: to, ...more },
  changes: { status: { from, to } },
});

const family = 'support';

export const ticketCreated = defineEvent(
  {
    name: 'ticket.created',
    family,
    description: 'A ticket was created.',
    data: z.strictObject({ ticket: ticketPayload }),
    example: { ticket: ticketExample },
  },
  (ticket: Ticket) => ({ ...about(ticket), data: { ticket: payloadOf(ticket) } }),
);

export const ticketUpdated = defineEvent(
  {
    name: 'ticket.updated',
    family,
    description: 'A ticket changed. `changes` contains the old and new values.',
    data: withChanges,
    example: changed(OPEN, IN_PROGRESS),
  },
  tellChanges,
);

export const ticketResolved = defineEvent(
  {
    name: 'ticket.resolved',
    family,
    description: 'A ticket was resolved.',
    data: withChanges,
    example: changed(IN_PROGRESS, RESOLVED),
  },
  tellChanges,
);

export const ticketEscalated = defineEvent(
  {
    name: 'ticket.escalated',
    family,
    description: 'A ticket was escalated, or its priority was set to critical.',
    data: withChanges,
    example: changed(OPEN, ESCALATED, { escalation_level: 1, escalation_reason: 'Priority set to critical' }),
  },
  tellChanges,
);

const slaPayload = (of: string) =>
  z.strictObject({
    [of]: z.enum(['response_time', 'resolution_time']),
    target: z.string().describe('Target in working time, such as `1 hour`.'),
    due_at: timestamp,
  });
const slaExample = { target: '1 hour', due_at: '2026-01-31T10:30:00.000Z' };

export const slaBreach = defineEvent(
  {
    name: 'sla.breach',
    family,
    description:
      'A ticket missed its response target or its resolution target. Sent once for each target. `due_at` is the time at which the target was due.',
    data: z.strictObject({ ticket: ticketPayload, sla: slaPayload('breached') }),
    example: { ticket: ticketExample, sla: { breached: 'response_time', ...slaExample } },
  },
  (ticket: Ticket, { clock, ...promise }: SlaPromised, now: Date) => ({
    ...about(ticket),
    occurredAt: now,
    data: { ticket: payloadOf(ticket), sla: { breached: clock, ...promised(promise) } },
  }),
);

export const slaAtRisk = defineEvent(
  {
    name: 'sla.at_risk',
    family,
    description:
      'Three quarters of the time for the response to a ticket, or for its resolution, have passed. `due_at` is the time at which the target is due.',
    data: z.strictObject({ ticket: ticketPayload, sla: slaPayload('at_risk') }),
    example: { ticket: ticketExample, sla: { at_risk: 'response_time', ...slaExample } },
  },
  (ticket: Ticket, { clock, ...promise }: SlaPromised, now: Date) => ({
    ...about(ticket),
    occurredAt: now,
    data: { ticket: payloadOf(ticket), sla: { at_risk: clock, ...promised(promise) } },
  }),
);

/** The SLA clock that an event reports, with the target and the due time of this clock. */
interface SlaPromised {
  clock: 'response_time' | 'resolution_time';
  targetMinutes: number;
  dueAt: Date;
}
const promised = ({ targetMinutes, dueAt }: Omit<SlaPromised, 'clock'>) => ({
  target: formatMinutes(targetMinutes),
  due_at: dueAt.toISOString(),
});

export const ticketEvents = [
  ticketCreated.type,
  ticketUpdated.type,
  ticketResolved.type,
  ticketEscalated.type,
  slaBreach.type,
  slaAtRisk.type,
];

function tellChanges(ticket: Ticket, changeSet: ChangeSet) {
  return { ...about(ticket), data: { ticket: payloadOf(ticket), changes: changeSet } };
}

/** Returns the properties that all events about a ticket have in common. */
export const about = ({ organizationId, updatedAt, id, accountId }: Ticket) => ({
  organizationId,
  occurredAt: updatedAt,
  subject: { type: 'Ticket', id },
  accountId,
});

export const payloadOf = (ticket: Ticket): z.infer<typeof ticketPayload> => ({
  id: ticket.id,
  number: ticket.number,
  title: ticket.title,
  status: ticket.status,
  priority: ticket.priority,
  severity: ticket.severity,
  category: ticket.category,
  subcategory: ticket.subcategory,
  customer_id: ticket.customerId,
  service_affected: ticket.serviceAffected,
  assigned_to: ticket.agentId,
  escalation_level: ticket.escalationLevel,
  escalation_reason: ticket.escalationReason,
  created_at: ticket.createdAt.toISOString(),
  updated_at: ticket.updatedAt.toISOString(),
});
