import { del, get, post, put, type Route, view } from '../route.ts';

const category = view(
  'TicketCategory',
  `{
  ...fields
  sla { responseTime resolutionTime }
  slaTier
  targets { priority responseTime resolutionTime escalateAfter }
  subcategories { id name routingRules { autoAssign escalationThreshold } }
}`,
);
const escalated = view(
  'EscalatedTicket',
  `{
  id number title status priority updatedAt
  assignedTo { agentId name email specialization }
  sla { responseMet resolutionDue escalated escalationLevel escalationReason }
}`,
);

const policy = {
  name: 'Gold',
  timezone: 'America/New_York',
  business_hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }],
  holidays: ['2026-12-25'],
  targets: [
    { priority: 'critical', response_time: '15 minutes', resolution_time: '4 hours', escalate_after: ['1 hour', '2 hours'] },
    { priority: 'high', response_time: '1 hour', resolution_time: '8 hours', escalate_after: ['6 hours'] },
    { priority: 'medium', response_time: '4 hours', resolution_time: '20 hours' },
    { priority: 'low', response_time: '8 hours', resolution_time: '40 hours' },
  ],
};

/** REST routes of ticket categories, service levels, escalations and agents (specification 2.7, 4.7). */
export const slaRoutes: readonly Route[] = [
  get('getTicketSla', '/support/tickets/{ticket_id}/sla', 'ticketSla', {
    summary: 'Get the SLA status of a ticket',
    description:
      'Gets the SLA status of a ticket. Times count working hours only. For critical tickets, every hour is a working hour. For other tickets, the business hours of the SLA policy are the working hours, in the time zone of the ticket. `time_remaining` is negative after the due time. While the ticket waits for the customer, `resolution_time.paused` is true, and `due_at` is the due time before the pause.',
    resource: 'ticket',
    wrap: 'sla_status',
  }),
  post('escalateTicket', '/support/tickets/{ticket_id}/escalate', 'escalateTicket', {
    summary: 'Escalate a ticket',
    errors: { INVALID_STATE: 'the ticket is resolved, or its level is already equal or higher' },
    description:
      'Escalates a ticket to a higher level. The level can only be raised. If the ticket is resolved, or if its level is already equal or higher, the response is 409. The addresses in `notify` get an e-mail. Customers cannot read `comments`.',
    status: 200,
    select: escalated,
    example: {
      escalation_level: 2,
      reason: 'The customer cannot take orders.',
      notify: ['duty.manager@example.com'],
      comments: 'A line test found nothing.',
    },
  }),
  get('listTicketCategories', '/support/categories', 'ticketCategories', {
    summary: 'List ticket categories',
    description:
      'Lists the ticket categories. `sla` contains the targets for medium priority. `targets` contains the targets for every priority. `routing_rules` is null for callers without `support:write`.',
    wrap: 'categories',
    select: category,
  }),
  put('updateTicketCategory', '/support/categories/{category}', 'updateTicketCategory', {
    summary: 'Update a ticket category',
    description:
      'Changes a ticket category. Omit a field to keep its value; null restores the default of the platform. Changes apply to tickets that are created, or get another priority, afterwards.',
    select: category,
    addition: true,
    example: {
      description: 'Lines and everything on them.',
      subcategories: [{ id: 'outage', name: 'Outage', routing_rules: { auto_assign: true, escalation_threshold: '30_minutes' } }],
    },
  }),
  get('listSlaPolicies', '/support/sla-policies', 'slaPolicies', { summary: 'List SLA policies', addition: true }),
  post('createSlaPolicy', '/support/sla-policies', 'createSlaPolicy', {
    summary: 'Create an SLA policy',
    errors: { DUPLICATE_RESOURCE: 'another policy already has this name' },
    description:
      'Creates an SLA policy. The policy applies to the categories that refer to it. To assign it to a category, use `PUT /support/categories/{category}`.',
    addition: true,
    example: policy,
  }),
  get('getSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'slaPolicy', { summary: 'Get an SLA policy', addition: true }),
  put('updateSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'updateSlaPolicy', {
    summary: 'Update an SLA policy',
    errors: { DUPLICATE_RESOURCE: 'another policy already has this name' },
    description: 'Changes an SLA policy. Existing tickets keep their targets until their priority changes.',
    addition: true,
    example: { holidays: ['2026-12-25', '2027-01-01'] },
  }),
  del('deleteSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'deleteSlaPolicy', {
    summary: 'Delete an SLA policy',
    errors: { INVALID_STATE: 'a category uses the policy' },
    description: 'Deletes an SLA policy. A policy cannot be deleted while a category uses it (409).',
    addition: true,
  }),
  get('listAgents', '/support/agents', 'agents', { summary: 'List agents', addition: true }),
  post('createAgent', '/support/agents', 'createAgent', {
    summary: 'Create an agent',
    errors: { DUPLICATE_RESOURCE: 'another agent already has this e-mail address' },
    addition: true,
    example: { name: 'Grace Hopper', email: 'grace@acme.example.com', specialization: 'connectivity' },
  }),
  get('getAgent', '/support/agents/{agent_id}', 'agent', { summary: 'Get an agent', addition: true }),
  put('updateAgent', '/support/agents/{agent_id}', 'updateAgent', {
    summary: 'Update an agent',
    errors: { DUPLICATE_RESOURCE: 'another agent already has this e-mail address', INVALID_STATE: 'the agent is the last active agent' },
    addition: true,
    example: { specialization: 'voice' },
  }),
  del('deactivateAgent', '/support/agents/{agent_id}', 'deactivateAgent', {
    summary: 'Deactivate an agent',
    errors: { INVALID_STATE: 'the agent is the last active agent' },
    description:
      'Deactivates an agent. The agent gets no new tickets and keeps the tickets that are already assigned. The last active agent cannot be deactivated (409).',
    addition: true,
  }),
];
