import { z } from 'zod';
import type { Principal } from '../../../kernel/access/principal.ts';
import { defineEvent } from '../../../kernel/events/events.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { about, payloadOf, ticketExample, ticketPayload } from '../tickets/ticket.events.ts';

/**
 * Reports that links in mails about a ticket were revoked. Only support staff can receive this event, like events about
 * internal comments. The identity domain records this event in the audit trail.
 */
export const linksRevoked = defineEvent(
  {
    name: 'ticket.links_revoked',
    family: 'support',
    requires: 'support:write',
    description: 'Links to the ticket page in e-mails about a ticket were revoked.',
    data: z.strictObject({
      revoked: z.strictObject({
        links: z.int().describe('Number of revoked links.'),
        by: z.strictObject({ type: z.string().describe('Kind of caller, such as `user` or `api_key`.'), id: z.string() }),
      }),
      ticket: ticketPayload,
    }),
    example: { revoked: { links: 2, by: { type: 'user', id: 'user_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } }, ticket: ticketExample },
  },
  (ticket: Ticket, links: number, { kind: type, id }: Principal, occurredAt: Date) => ({
    ...about(ticket),
    occurredAt,
    data: { revoked: { links, by: { type, id } }, ticket: payloadOf(ticket) },
  }),
);
