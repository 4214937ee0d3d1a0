import { get, post, type Route, view, WITH_FILES } from '../route.ts';

export const attachmentFields = '{ id filename contentType size downloadUrl }';

const comment = view('Comment', `{ ...fields author { type id name email } attachments ${attachmentFields} }`);
const change = view('TicketChange', '{ ...fields actor { kind id } }');

export const newAttachment = { filename: 'modem.txt', content_type: 'text/plain', size: 12, data: 'Tm8gbGlnaHQuLi4K' };

/** REST routes of the comments and changes of a ticket. */
export const conversation: readonly Route[] = [
  post('addTicketComment', '/support/tickets/{ticket_id}/comments', 'addTicketComment', {
    summary: 'Add a comment to a ticket',
    wrap: 'comment',
    select: comment,
    largeBody: WITH_FILES,
    example: { content: 'Still no light after a restart.', type: 'reply', attachments: [newAttachment] },
  }),
  get('listTicketComments', '/support/tickets/{ticket_id}/comments', 'ticketComments', {
    summary: 'List the comments on a ticket',
    wrap: 'comments',
    list: 'support',
    select: comment,
    addition: true,
  }),
  get('getTicketTimeline', '/support/tickets/{ticket_id}/timeline', 'ticketTimeline', {
    summary: 'List the changes of a ticket',
    wrap: 'timeline',
    list: 'support',
    select: change,
    addition: true,
  }),
];
