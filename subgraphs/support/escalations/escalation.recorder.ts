import type { EntityManager } from '../../../kernel/database.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import { Escalation } from './escalation.entity.ts';
import type { EscalationMails } from './escalation.mails.ts';

/** What was said with an escalation, beside level and reason. */
export interface EscalationDetails {
  comments?: string | null;
  notify?: string[];
  metadata?: Record<string, unknown>;
}

/** Keeps each rise of a ticket's level, whoever caused it, and has people told. */
export class EscalationRecorder {
  constructor(private readonly mails: EscalationMails) {}

  async keep(
    tx: EntityManager,
    ticket: Ticket,
    actor: Actor,
    { comments = null, notify = [], metadata = {} }: EscalationDetails = {},
  ): Promise<void> {
    const { id: ticketId, organizationId, escalationLevel: level, escalationReason: reason, updatedAt: createdAt } = ticket;
    const { kind: actorKind, id: actorId } = actor;
    const facts = {
      id: newId('escalation'),
      organizationId,
      ticketId,
      level,
      reason,
      comments,
      notify,
      metadata,
      actorKind,
      actorId,
      createdAt,
    };
    const escalation = Object.assign(new Escalation(), facts);
    tx.persist(escalation);
    await this.mails.enqueue(tx, escalation);
  }
}
