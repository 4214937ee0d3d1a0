import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { type Attachment, downloadUrlOf } from '../attachments/attachment.entity.ts';
import { AuthorType } from '../comment-author.ts';
import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { about, payloadOf, ticketExample, ticketPayload } from '../tickets/ticket.events.ts';
import { Visibility } from '../visibility.ts';
import type { Comment } from './comment.entity.ts';

const commentPayload = z.strictObject({
  id: z.string(),
  ticket_id: z.string(),
  content: z.string(),
  type: z.string().describe('Purpose of the comment, such as `customer_update`.'),
  visibility: z.enum(Visibility).describe('Who can read the comment.'),
  author: z.strictObject({ type: z.enum(AuthorType), id: z.string(), name: z.string(), email: z.string().nullable() }),
  attachments: z.array(
    z.strictObject({ id: z.string(), filename: z.string(), content_type: z.string(), size: z.int(), download_url: z.string() }),
  ),
  created_at: timestamp,
});

const data = z.strictObject({ comment: commentPayload, ticket: ticketPayload });

const example: z.input<typeof data> = {
  comment: {
    id: 'comment_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    ticket_id: ticketExample.id,
    content: 'A technician is on the way.',
    type: 'customer_update',
    visibility: Visibility.CUSTOMER,
    author: { type: AuthorType.AGENT, id: ticketExample.assigned_to, name: 'Ada Diaz', email: 'ada.diaz@example.com' },
    attachments: [
      {
        id: 'att_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        filename: 'outage-map.png',
        content_type: 'image/png',
        size: 48213,
        download_url: 'https://api.example.com/v1/attachments/att_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      },
    ],
    created_at: '2026-01-31T09:45:00.000Z',
  },
  ticket: { ...ticketExample, status: TicketStatus.IN_PROGRESS },
};

export const commentAdded = defineEvent(
  { name: 'comment.added', family: 'support', description: 'A comment that the customer can read was added to a ticket.', data, example },
  tell,
);

/**
 * Creates the event of an internal comment. Internal comments have their own event type, because customers may
 * subscribe to `comment.added`.
 */
export const noteAdded = defineEvent(
  {
    name: 'ticket.note_added',
    family: 'support',
    requires: 'support:write',
    description: 'An internal comment was added to a ticket.',
    data,
    example: {
      ...example,
      comment: {
        ...example.comment,
        content: 'Line test ordered.',
        type: 'internal_note',
        visibility: Visibility.INTERNAL,
        attachments: [],
      },
    },
  },
  tell,
);

export const commentEvents = [commentAdded.type, noteAdded.type];

function tell(comment: Comment, attachments: readonly Attachment[], ticket: Ticket, origin: string) {
  const { id, ticketId, content, type, visibility, author, createdAt } = comment;
  const files = attachments.map((attachment) => ({
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    size: attachment.size,
    download_url: downloadUrlOf(origin, attachment),
  }));
  const payload = {
    id,
    ticket_id: ticketId,
    content,
    type,
    visibility,
    author: { ...author },
    attachments: files,
    created_at: createdAt.toISOString(),
  };
  return { ...about(ticket), occurredAt: createdAt, data: { comment: payload, ticket: payloadOf(ticket) } };
}
