import { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { endNote } from './monitoring-note.ts';

/** The fields of the internal event `alert.ticket_ended` that the desk uses. */
const ended = z.object({
  data: z.object({
    ticket_id: z.string(),
    alert_id: z.string(),
    incident: z.object({ id: z.string(), number: z.string(), title: z.string() }).nullable(),
  }),
});
const NAME = 'support.alert-ticket-ended';
const ACTOR = { kind: 'system', id: NAME } as const;

/** Returns the reaction that adds an internal comment to the ticket of an alert that has ended. The ticket stays open. */
export const alertTicketEnded = ({ orm, comments }: { orm: Orm; comments: CommentWriter }): Reaction => ({
  name: NAME,
  on: 'alert.ticket_ended',
  async handle({ id: eventId, organizationId, payload }) {
    const { ticket_id: id, alert_id: alertId, incident } = ended.parse(JSON.parse(payload)).data;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, eventId, NAME))) return;
      if ((await tx.count(Ticket, { id })) === 0) return;
      await comments.add(tx, id, endNote(incident ? { incident } : { alertId }), ACTOR);
    });
  },
});
