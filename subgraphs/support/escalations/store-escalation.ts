import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import { Escalation } from './escalation.entity.ts';

/** Optional details of an escalation, in addition to its level and reason. */
export type EscalationDetails = Pick<Escalation, 'comments' | 'notify' | 'metadata'>;

const NOTHING_SAID: EscalationDetails = { comments: null, notify: [], metadata: {} };

/** Stores an escalation record. Must be called whenever the escalation level of a ticket rises. */
export function storeEscalation(tx: EntityManager, ticket: Ticket, actor: Actor, details: EscalationDetails = NOTHING_SAID): void {
  const { id: ticketId, organizationId, escalationLevel: level, escalationReason: reason, updatedAt: createdAt } = ticket;
  const who = { actorKind: actor.kind, actorId: actor.id };
  const facts = { id: newId('escalation'), organizationId, ticketId, level, reason, createdAt, ...who, ...details };
  tx.persist(Object.assign(new Escalation(), facts));
}
