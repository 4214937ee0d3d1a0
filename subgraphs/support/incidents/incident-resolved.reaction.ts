import { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { endNote } from './monitoring-note.ts';

/** The fields of the event `incident.resolved` that the desk uses. The event may have more fields. */
const resolved = z.object({
  data: z.object({
    incident: z.object({ id: z.string(), number: z.string(), title: z.string(), ticket_ids: z.array(z.string()) }),
  }),
});
const NAME = 'support.incident-resolved';
const ACTOR = { kind: 'system', id: NAME } as const;

/**
 * Returns the reaction that adds an internal comment to each ticket of a resolved incident, to inform the support desk. The tickets stay
 * open: the desk decides when its customers are satisfied, and what they are told.
 */
export const incidentResolved = ({ orm, comments }: { orm: Orm; comments: CommentWriter }): Reaction => ({
  name: NAME,
  on: 'incident.resolved',
  async handle({ id: eventId, organizationId, payload }) {
    const { ticket_ids: ticketIds, ...incident } = resolved.parse(JSON.parse(payload)).data.incident;
    if (ticketIds.length === 0) return;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, eventId, NAME))) return;
      // in the order of their ids, as in every transaction that locks several tickets
      const tickets = await tx.find(Ticket, { id: { $in: ticketIds } }, { fields: ['id'], orderBy: { id: 'asc' } });
      for (const ticket of tickets) await comments.add(tx, ticket.id, endNote({ incident }), ACTOR);
    });
  },
});
