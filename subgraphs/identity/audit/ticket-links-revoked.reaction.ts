import { z } from 'zod';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { AuditTrail } from './audit-trail.ts';

/** The part of `ticket.links_revoked` that identity needs. Other fields of the event are ignored. */
const revoked = z.object({
  data: z.object({
    revoked: z.object({ links: z.int(), by: z.object({ type: z.string(), id: z.string() }) }),
    ticket: z.object({ id: z.string() }),
  }),
});
const NAME = 'identity.ticket-links-revoked';

/**
 * Writes an audit record when ticket links are revoked. A link is a credential, so the audit trail must show who
 * revoked it.
 */
export const ticketLinksRevoked = ({ orm, trail }: { orm: Orm; trail: AuditTrail }): Reaction => ({
  name: NAME,
  on: 'ticket.links_revoked',
  async handle({ id: eventId, organizationId, payload }) {
    const { ticket, revoked: what } = revoked.parse(JSON.parse(payload)).data;
    const { type, id } = what.by;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      if (!(await claimOnce(tx, eventId, NAME))) return;
      const caller = type === 'user' ? { userId: id } : { clientId: id };
      const reason = `by ${type} ${id}; ticket ${ticket.id}; links ${what.links}`;
      await trail.record({ eventType: 'ticket_links_revoked', organizationId, ...caller, reason }, tx);
    });
  },
});
