import { del, get, post, put, type Route, view } from '../route.ts';

const notification = view(
  'TicketNotification',
  `{
  ...fields
  recipients { id email phone name role subject status simulated attempts lastError sentAt }
}`,
);

/** Without the HTML, which says the same: a page may hold 200 of them. */
const message = view(
  'NotificationRecipient',
  '{ id notificationId ticketId type email phone name role subject text status simulated attempts lastError sentAt createdAt }',
);

const newRule = {
  rule_name: 'Outages of enterprise customers',
  conditions: {
    category: 'connectivity',
    priority: ['high', 'critical'],
    keywords: ['outage', 'no dial tone'],
    customer_tier: 'enterprise',
  },
  actions: {
    assign_to: 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    notify: ['noc@example.com'],
    escalate_after: '30_minutes',
    auto_update_frequency: '4_hours',
  },
  active: true,
};

/** What people are told about tickets, and how tickets find who works on them (specification 2.7, 4.7). */
export const supportRouting: readonly Route[] = [
  post('notifyTicketContacts', '/support/tickets/{ticket_id}/notify', 'notifyTicketContacts', {
    summary: 'Notify people about a ticket',
    description:
      'An e-mail (`type` is `email`: `recipients[]{email, name, role}`, `template`, `subject`, `variables`, `include_comments`, `comment_filter`) or an SMS (`sms`: `recipients[]{phone, name}`, `message`). What each recipient is sent is written when this is answered, and leaves after it; failures are tried again, ten times over about an hour, unless they are final. `GET` on the ticket’s `notifications` says what came of it.',
    select: notification,
    example: {
      type: 'email',
      recipients: [{ email: 'ada@example.com', name: 'Ada Diaz', role: 'it_manager' }],
      template: 'ticket_update',
      subject: '[{{ticket.number}}] A technician is on the way',
      variables: { eta: '2 hours', message: 'The line is being repaired.' },
      include_comments: true,
      comment_filter: 'customer_visible',
    },
  }),
  get('listTicketNotifications', '/support/tickets/{ticket_id}/notifications', 'ticketNotifications', {
    summary: 'List the notifications of a ticket',
    select: notification,
    addition: true,
  }),
  get('listSentNotifications', '/support/notifications/sent', 'sentNotifications', {
    summary: 'List the e-mails and SMS about tickets and reports',
    description:
      'Every message of the organization with its subject and text, newest first, one for each recipient. `text` is null once it is not kept any more. `simulated` ones reached nobody, because the platform has no mail server or SMS provider to send with: this is where a developer reads them.',
    select: message,
    addition: true,
  }),
  post('createRoutingRule', '/support/routing-rules', 'createRoutingRule', {
    summary: 'Create a routing rule',
    errors: { INVALID_STATE: 'the organization has too many rules' },
    description:
      'New tickets are held against the active rules in their order; the first of which every condition holds counts. It assigns the ticket, tells people, escalates a ticket that is not resolved in time, and has the customer told how it stands every so often.',
    example: newRule,
  }),
  get('listRoutingRules', '/support/routing-rules', 'routingRules', {
    summary: 'List routing rules',
    description: 'In the order in which they are asked.',
    addition: true,
  }),
  get('getRoutingRule', '/support/routing-rules/{rule_id}', 'routingRule', { summary: 'Get a routing rule', addition: true }),
  put('updateRoutingRule', '/support/routing-rules/{rule_id}', 'updateRoutingRule', {
    summary: 'Update a routing rule',
    description: 'What is left out keeps its value. `position` moves it; the others keep their order.',
    addition: true,
    example: { position: 1, active: true },
  }),
  del('deleteRoutingRule', '/support/routing-rules/{rule_id}', 'deleteRoutingRule', {
    summary: 'Delete a routing rule',
    description: 'Ends what it has going on with tickets too.',
    addition: true,
  }),
];
