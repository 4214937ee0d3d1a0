import { del, get, post, put, type Route, view } from '../route.ts';

const notification = view(
  'TicketNotification',
  `{
  ...fields
  recipients { id email phone name role subject status simulated attempts lastError sentAt }
}`,
);

/**
 * A sent message without its HTML. The HTML is left out because the plain text has the same content, and a page can
 * contain 200 messages.
 */
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

/** REST routes of ticket notifications, and of the rules that assign tickets to agents (specification 2.7, 4.7). */
export const supportRouting: readonly Route[] = [
  post('notifyTicketContacts', '/support/tickets/{ticket_id}/notify', 'notifyTicketContacts', {
    summary: 'Notify people about a ticket',
    description:
      'Sends an e-mail or an SMS about a ticket. For `type: email`, the fields are `recipients[]{email, name, role}`, `template`, `subject`, `variables`, `include_comments` and `comment_filter`. For `type: sms`, they are `recipients[]{phone, name}` and `message`. The messages are composed during this request and sent afterwards. If the failure of a message is not permanent, the message is retried up to ten times within about an hour. List the notifications of the ticket to see the results.',
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
      'Lists every message of the organization with its subject and text, newest first, one per recipient. `text` is null after its retention period. Messages with `simulated: true` were not sent, because the platform has no mail server or SMS provider. Developers can read them here.',
    select: message,
    addition: true,
  }),
  post('createRoutingRule', '/support/routing-rules', 'createRoutingRule', {
    summary: 'Create a routing rule',
    errors: { INVALID_STATE: 'the organization has too many rules' },
    description:
      'Creates a routing rule. The active rules are evaluated in order for each new ticket. The first rule whose conditions all match is applied. It can assign the ticket, notify people, escalate a ticket that is not resolved in time, and send the customer regular status updates.',
    example: newRule,
  }),
  get('listRoutingRules', '/support/routing-rules', 'routingRules', {
    summary: 'List routing rules',
    description: 'Lists the rules in the order in which they are evaluated.',
    addition: true,
  }),
  get('getRoutingRule', '/support/routing-rules/{rule_id}', 'routingRule', { summary: 'Get a routing rule', addition: true }),
  put('updateRoutingRule', '/support/routing-rules/{rule_id}', 'updateRoutingRule', {
    summary: 'Update a routing rule',
    description: 'Changes a routing rule. Omit a field to keep its value. `position` moves the rule; the other rules keep their order.',
    addition: true,
    example: { position: 1, active: true },
  }),
  del('deleteRoutingRule', '/support/routing-rules/{rule_id}', 'deleteRoutingRule', {
    summary: 'Delete a routing rule',
    description: 'Deletes a routing rule. Its scheduled actions on existing tickets are cancelled.',
    addition: true,
  }),
];
