import { z } from 'zod';
import { type DomainEvent, defineEvent, timestamp } from '../../../kernel/events.ts';
import type { Ticket } from './ticket.entity.ts';
import { TicketPriority, TicketStatus } from './ticket.states.ts';

const ticketPayload = z.strictObject({
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
const changes = z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }));

const example = {
  ticket: {
    id: 'ticket_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    number: 'TKT-1042',
    title: 'Internet connection is down',
    status: 'open',
    priority: 'high',
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
  },
};
const changed = (from: string, to: string, more: object = {}) => ({
  ticket: { ...example.ticket, status: to, ...more },
  changes: { status: { from, to } },
});

const family = 'support';
const plain = z.strictObject({ ticket: ticketPayload });
const withChanges = z.strictObject({ ticket: ticketPayload, changes });

export const ticketEvents = [
  defineEvent({ name: 'ticket.created', family, description: 'A ticket was opened.', data: plain, example }),
  defineEvent({
    name: 'ticket.updated',
    family,
    description: 'A ticket changed; `changes` says what.',
    data: withChanges,
    example: changed('open', 'in_progress'),
  }),
  defineEvent({
    name: 'ticket.resolved',
    family,
    description: 'A ticket was resolved.',
    data: withChanges,
    example: changed('in_progress', 'resolved'),
  }),
  defineEvent({
    name: 'ticket.escalated',
    family,
    description: 'A ticket was escalated, or its priority set to critical.',
    data: withChanges,
    example: changed('open', 'escalated', { escalation_level: 1, escalation_reason: 'Priority raised to critical' }),
  }),
];

export type Changes = z.infer<typeof changes>;

export const ticketCreated = (ticket: Ticket): DomainEvent => event('ticket.created', ticket, ticket.createdAt);
export const ticketUpdated = (ticket: Ticket, changes: Changes): DomainEvent => event('ticket.updated', ticket, ticket.updatedAt, changes);
export const ticketResolved = (ticket: Ticket, changes: Changes): DomainEvent =>
  event('ticket.resolved', ticket, ticket.updatedAt, changes);
export const ticketEscalated = (ticket: Ticket, changes: Changes): DomainEvent =>
  event('ticket.escalated', ticket, ticket.updatedAt, changes);

function event(name: string, ticket: Ticket, occurredAt: Date, changes?: Changes): DomainEvent {
  const data = { ticket: payloadOf(ticket), ...(changes && { changes }) };
  return { name, organizationId: ticket.organizationId, occurredAt, subject: { type: 'Ticket', id: ticket.id }, data };
}

const payloadOf = (ticket: Ticket): z.infer<typeof ticketPayload> => ({
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
