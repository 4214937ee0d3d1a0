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

/** Categories, service levels, escalations and agents (specification 2.7, 4.7). */
export const slaRoutes: readonly Route[] = [
  get('getTicketSla', '/support/tickets/{ticket_id}/sla', 'ticketSla', {
    summary: 'Get the service level of a ticket',
    description:
      'Times are working time: round the clock for critical tickets, else by the hours of the SLA policy in the zone of the ticket. `time_remaining` is negative past due. While the ticket waits for its customer `resolution_time.paused` is true, and `due_at` is when it would have been due.',
    resource: 'ticket',
    wrap: 'sla_status',
  }),
  post('escalateTicket', '/support/tickets/{ticket_id}/escalate', 'escalateTicket', {
    summary: 'Escalate a ticket',
    errors: { INVALID_STATE: 'the level is not higher than that of the ticket' },
    description:
      'Levels only rise: 409 where the ticket has this level or a higher one, or is resolved. `notify` are told by mail; `comments` are for the desk only.',
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
    summary: 'List the categories of tickets',
    description: '`sla` is what is promised for medium priority, `targets` for each. `routing_rules` are null to who may not write.',
    wrap: 'categories',
    select: category,
  }),
  put('updateTicketCategory', '/support/categories/{category}', 'updateTicketCategory', {
    summary: 'Update a ticket category',
    description:
      'What is left out stays as it is; null is what the platform has. Holds for tickets that are opened, or given another priority, from then on.',
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
    errors: { DUPLICATE_RESOURCE: 'another policy has the name' },
    description: 'It holds for the categories that name it (`PUT /support/categories/{category}`).',
    addition: true,
    example: policy,
  }),
  get('getSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'slaPolicy', { summary: 'Get an SLA policy', addition: true }),
  put('updateSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'updateSlaPolicy', {
    summary: 'Update an SLA policy',
    errors: { DUPLICATE_RESOURCE: 'another policy has the name' },
    description: 'Tickets keep what was promised when they were opened or given their priority.',
    addition: true,
    example: { holidays: ['2026-12-25', '2027-01-01'] },
  }),
  del('deleteSlaPolicy', '/support/sla-policies/{sla_policy_id}', 'deleteSlaPolicy', {
    summary: 'Delete an SLA policy',
    errors: { INVALID_STATE: 'a category uses the policy' },
    description: '409 while a category refers to it.',
    addition: true,
  }),
  get('listAgents', '/support/agents', 'agents', { summary: 'List agents', addition: true }),
  post('createAgent', '/support/agents', 'createAgent', {
    summary: 'Create an agent',
    errors: { DUPLICATE_RESOURCE: 'another agent has the e-mail address' },
    addition: true,
    example: { name: 'Grace Hopper', email: 'grace@acme.example.com', specialization: 'connectivity' },
  }),
  get('getAgent', '/support/agents/{agent_id}', 'agent', { summary: 'Get an agent', addition: true }),
  put('updateAgent', '/support/agents/{agent_id}', 'updateAgent', {
    summary: 'Update an agent',
    errors: { DUPLICATE_RESOURCE: 'another agent has the e-mail address', INVALID_STATE: 'it is the last active agent' },
    addition: true,
    example: { specialization: 'voice' },
  }),
  del('deactivateAgent', '/support/agents/{agent_id}', 'deactivateAgent', {
    summary: 'Deactivate an agent',
    errors: { INVALID_STATE: 'it is the last active agent' },
    description: 'They get no more tickets; those that they have stay with them. 409 for the last active one.',
    addition: true,
  }),
];
