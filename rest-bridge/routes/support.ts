import { area, get, post, put, view, WITH_FILES } from '../route.ts';
import { knowledge } from './knowledge.ts';
import { attachmentFields, conversation, newAttachment } from './support-conversation.ts';
import { integrations } from './support-integrations.ts';
import { supportReports } from './support-reports.ts';
import { supportRouting } from './support-routing.ts';
import { slaRoutes } from './support-sla.ts';

const ticketRecord = view(
  'TicketRecord',
  `{
  ...fields
  assignedTo { agentId name email specialization }
  sla { responseTime resolutionTime responseDue resolutionDue }
  attachments ${attachmentFields}
}`,
);
const ticketUpdate = view(
  'TicketUpdate',
  `{
  id number status priority updatedAt
  assignedTo { agentId name email specialization }
  sla { responseMet resolutionDue escalated escalationReason }
}`,
);
const ticketItem = view(
  'TicketListItem',
  `{
  id number title status priority createdAt updatedAt
  assignedTo { name email }
  sla_status: sla { responseMet resolutionDue timeRemaining }
}`,
);

const search = {
  nested: { filters: 'filter', sort: 'sort', pagination: 'page' },
  select: ticketItem,
  wrap: 'tickets',
  list: 'support',
  example: {
    filters: { status: ['open'], priority: ['high', 'critical'] },
    sort: { field: 'created_at', order: 'desc' },
    pagination: { page: 1, limit: 50 },
  },
} as const;

const newTicket = {
  title: 'Internet connection is down',
  description: 'The modem has had no light since 9:30.',
  contact: { name: 'Ada Diaz', email: 'ada@example.com', phone: '+12125550100', role: 'it_manager' },
  category: 'connectivity',
  priority: 'high',
  severity: 'business_impacting',
  location: { address: '350 Fifth Avenue, New York', timezone: 'America/New_York' },
  metadata: { reported_by: 'monitoring' },
  attachments: [newAttachment],
};

export const support = area(
  'Support',
  'Tickets, comments, SLAs, routing, integrations, reports and the knowledge base.',
  [
    post('createTicket', '/support/tickets', 'createTicket', {
      summary: 'Create a ticket',
      wrap: 'ticket',
      select: ticketRecord,
      largeBody: WITH_FILES,
      example: newTicket,
    }),
    get('listTickets', '/support/tickets', 'tickets', { summary: 'List tickets', wrap: 'tickets', list: 'support', select: ticketItem }),
    get('searchTickets', '/support/tickets/search', 'tickets', {
      summary: 'Search tickets',
      ...search,
      bodyOnGet: true,
      description:
        'Lists the tickets that meet conditions. Send the search as a JSON body, or as the same structure in the query string: `filters[status][]=open&sort[field]=created_at`.',
    }),
    post('postTicketSearch', '/support/tickets/search', 'tickets', {
      summary: 'Search tickets with a request body',
      ...search,
      addition: true,
    }),
    get('getTicket', '/support/tickets/{ticket_id}', 'ticket', { summary: 'Get a ticket', wrap: 'ticket', select: ticketRecord }),
    put('updateTicket', '/support/tickets/{ticket_id}', 'updateTicket', {
      summary: 'Update a ticket',
      errors: { INVALID_STATE: 'the current status cannot change to this status' },
      wrap: 'ticket',
      select: ticketUpdate,
      example: { status: 'in_progress', customer_update: 'We are on it.' },
    }),
    ...conversation,
    ...slaRoutes,
    ...supportRouting,
    ...integrations,
    ...supportReports,
    ...knowledge,
  ],
  'Support',
);
