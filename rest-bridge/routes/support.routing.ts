import { get, post, type Route, view } from '../route.ts';

const notification = view(
  'TicketNotification',
  `{
  ...fields
  recipients { id email phone name role subject status simulated attempts lastError sentAt }
}`,
);

/** What people are told about tickets (specification 2.7, 4.7). */
export const supportRouting: readonly Route[] = [
  post('notifyTicketContacts', '/support/tickets/{ticket_id}/notify', 'notifyTicketContacts', {
    summary: 'Notify people about a ticket',
    description:
      'An e-mail (`type` is `email`: `recipients[]{email, name, role}`, `template`, `subject`, `variables`) or an SMS (`sms`: `recipients[]{phone, name}`, `message`). What each recipient is sent is written when this is answered, and leaves after it; failures are tried again, ten times over about an hour, unless they are final. `GET` on the ticket’s `notifications` says what came of it.',
    select: notification,
    example: {
      type: 'email',
      recipients: [{ email: 'ada@example.com', name: 'Ada Diaz', role: 'it_manager' }],
      template: 'ticket_update',
      subject: '[{{ticket.number}}] A technician is on the way',
      variables: { eta: '2 hours', message: 'The line is being repaired.' },
    },
  }),
  get('listTicketNotifications', '/support/tickets/{ticket_id}/notifications', 'ticketNotifications', {
    summary: 'List what people were told about a ticket',
    select: notification,
    addition: true,
  }),
  get('listSupportOutbox', '/support/outbox', 'supportOutbox', {
    summary: 'List the e-mails and SMS about tickets',
    description:
      'Every message of the organization with its subject and text, newest first, one for each recipient. `simulated` ones reached nobody, because the platform has no mail server or SMS provider to send with: this is where a developer reads them.',
    addition: true,
  }),
];
