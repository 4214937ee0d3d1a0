import type { EntityManager } from '../../../kernel/database.ts';
import type { RecordLoader } from '../../../kernel/loaders.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { TicketEditor } from '../tickets/ticket.editor.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { EscalationNotRaised } from '../tickets/ticket.errors.ts';
import { TicketStatus } from '../tickets/ticket.states.ts';
import type { Escalation } from './escalation.entity.ts';
import type { EscalationInput } from './escalation.inputs.ts';

export interface EscalationServiceDeps {
  em: EntityManager;
  principal: Principal;
  editor: TicketEditor;
  loader: RecordLoader<Escalation>;
}

/** Hands tickets up (specification 2.7, 3.1). */
export class EscalationService {
  constructor(private readonly deps: EscalationServiceDeps) {}

  /** @throws ResourceNotFound; InvalidState for a resolved ticket; EscalationNotRaised for a level that is not higher */
  escalate(ticketId: string, { escalationLevel, reason, notify, metadata, comments }: EscalationInput): Promise<Ticket> {
    const { em, principal, editor } = this.deps;
    const details = { comments: comments ?? null, notify: [...new Set(notify ?? [])], metadata: metadata ?? {} };
    return em.transactional((tx) =>
      editor.change(
        tx,
        ticketId,
        principal,
        (ticket, now) => {
          const level = ticket.escalationLevel;
          if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
          if (escalationLevel <= level) throw new EscalationNotRaised(level, escalationLevel);
          ticket.escalate(escalationLevel, reason ?? `Escalated to level ${escalationLevel}`, now);
        },
        details,
      ),
    );
  }

  of(ticketId: string, limit: number): Promise<Escalation[]> {
    return this.deps.loader.newest('ticketId', ticketId, limit);
  }
}
