import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import type { CommentAuthors } from '../comments/comment-authors.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import { checkAllowance } from '../notifications/notification-limits.ts';
import type { NotificationSender } from '../notifications/notification-sender.ts';
import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { EscalationNotRaised } from '../tickets/ticket.errors.ts';
import type { TicketEditor } from '../tickets/ticket-editor.ts';
import { Visibility } from '../visibility.ts';
import type { Escalation } from './escalation.entity.ts';
import type { EscalationInput } from './escalation.inputs.ts';

export interface EscalationServiceDeps {
  em: EntityManager;
  clock: Clock;
  principal: Principal;
  editor: TicketEditor;
  authors: CommentAuthors;
  writer: CommentWriter;
  sender: NotificationSender;
  loader: RecordLoader<Escalation>;
}

/** Escalates tickets (specification 2.7, 3.1). */
export class EscalationService {
  constructor(private readonly deps: EscalationServiceDeps) {}

  /**
   * Escalates a ticket. `comments` are stored as an internal comment, and the addresses in `notify` get a mail.
   * @throws ResourceNotFound
   * @throws InvalidState for a resolved ticket
   * @throws EscalationNotRaised if the level is not higher than the current level
   * @throws NotificationLimitReached if the plan's limit of notifications per hour is reached
   */
  async escalate(ticketId: string, { escalationLevel, reason, notify, metadata, comments }: EscalationInput): Promise<Ticket> {
    const { em, principal, editor, authors, writer } = this.deps;
    const recipients = [...new Set(notify ?? [])];
    const author = comments ? await authors.of() : undefined;
    return em.transactional(async (tx) => {
      const escalate = async (ticket: Ticket, now: Date): Promise<void> => {
        const level = ticket.escalationLevel;
        if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
        if (escalationLevel <= level) throw new EscalationNotRaised(level, escalationLevel);
        ticket.escalate(escalationLevel, reason ?? `Escalated to level ${escalationLevel}`, now);
        if (!author || !comments) return;
        const note = { author, content: comments, type: 'internal_note', visibility: Visibility.INTERNAL };
        await writer.append(tx, ticket, note, principal, now);
      };
      const details = { comments: comments ?? null, notify: recipients, metadata: metadata ?? {} };
      const ticket = await editor.change(tx, ticketId, principal, escalate, details);
      if (recipients.length > 0) await this.#tell(tx, ticket, recipients);
      return ticket;
    });
  }

  of(ticketId: string, limit: number): Promise<Escalation[]> {
    return this.deps.loader.newest('ticketId', ticketId, limit);
  }

  async #tell(tx: EntityManager, ticket: Ticket, addresses: readonly string[]): Promise<void> {
    const { clock, sender, principal } = this.deps;
    await checkAllowance(tx, principal.organizationId, principal.plan, clock.now(), addresses.length);
    const { escalationLevel, escalationReason } = ticket;
    const contacts = addresses.map((address) => ({ address }));
    const variables = new Map([
      ['level', String(escalationLevel)],
      ['reason', escalationReason ?? ''],
    ]);
    await sender.sendTicketMail(tx, ticket, { contacts }, { template: 'ticket_escalated', variables }, principal);
  }
}
