import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events.ts';
import { ticketExample, ticketPayload } from '../tickets/ticket.events.ts';

const commentPayload = z.strictObject({
  id: z.string(),
  ticket_id: z.string(),
  content: z.string(),
  type: z.string().describe('Such as `customer_update`.'),
  visibility: z.string().describe('Such as `customer`: whom it is meant for.'),
  author: z.strictObject({ type: z.string(), id: z.string(), name: z.string(), email: z.string().nullable() }),
  attachments: z.array(
    z.strictObject({ id: z.string(), filename: z.string(), content_type: z.string(), size: z.int(), download_url: z.string() }),
  ),
  created_at: timestamp,
});

export const commentAdded = defineEvent({
  name: 'comment.added',
  family: 'support',
  description: 'Somebody commented on a ticket.',
  data: z.strictObject({ comment: commentPayload, ticket: ticketPayload }),
  example: {
    comment: {
      id: 'comment_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      ticket_id: ticketExample.id,
      content: 'A technician is on the way.',
      type: 'customer_update',
      visibility: 'customer',
      author: { type: 'agent', id: ticketExample.assigned_to, name: 'Ada Diaz', email: 'ada.diaz@example.com' },
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
    ticket: { ...ticketExample, status: 'in_progress' },
  },
});
