import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { advisoryLock, orNotFound } from '../../../kernel/records/records.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { Attachment } from '../attachments/attachment.entity.ts';
import { AuthorType, type CommentAuthor } from '../comment-author.ts';
import { Comment } from '../comments/comment.entity.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import type { LinkHolder } from '../notifications/ticket-links.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Visibility } from '../visibility.ts';
import { attachmentOf, type TicketView, type Visitor, viewOf } from './ticket-view.ts';

/**
 * Maximum number of replies per hour to one ticket through links in mails. The limit prevents the misuse of a link that
 * its recipient has shared.
 */
const PER_HOUR = 20;

export interface ContactParts {
  orm: Orm;
  clock: Clock;
  comments: CommentWriter;
}

/**
 * A visitor who opened the link in a mail about a ticket. The visitor can read the ticket and reply in the name of the
 * mail's recipient.
 */
export class ContactVisitor implements Visitor {
  readonly mayReply = true;
  readonly isSignedIn = false;
  readonly #em: EntityManager;

  constructor(
    private readonly parts: ContactParts,
    private readonly recipient: LinkHolder,
  ) {
    this.#em = organizationEm(parts.orm, recipient.organizationId);
  }

  get who(): string {
    const { name, address } = this.recipient;
    return name ? `${name} (${address})` : address;
  }

  async view(before?: string): Promise<TicketView> {
    const { ticketId } = this.recipient;
    return viewOf(this.#em, orNotFound(await this.#em.findOne(Ticket, { id: ticketId }), 'ticket', ticketId), before);
  }

  attachment(id: string): Promise<Attachment | null> {
    return attachmentOf(this.#em, this.recipient.ticketId, id);
  }

  /**
   * Adds a reply. If the form is sent a second time within an hour, no second reply is added.
   * @throws PlatformError RATE_LIMIT_EXCEEDED
   */
  async reply(content: string): Promise<void> {
    const { clock, comments } = this.parts;
    const { id, ticketId, name, address } = this.recipient;
    await this.#em.transactional(async (tx) => {
      await advisoryLock(tx, `support.ticket-link:${ticketId}`);
      const since = new Date(clock.now().getTime() - HOUR_MS);
      const recent = await tx.find(Comment, { ticketId, createdAt: { $gt: since }, author: { id: { $like: 'nrec\\_%' } } });
      if (recent.some((reply) => reply.author.id === id && reply.content === content)) return;
      if (recent.length >= PER_HOUR) throw new TooManyReplies();
      const author: CommentAuthor = { type: AuthorType.CUSTOMER, id, name: name ?? address, email: address };
      await comments.add(tx, ticketId, { content, type: 'reply', visibility: Visibility.CUSTOMER, author }, { kind: 'system', id });
    });
  }
}

class TooManyReplies extends PlatformError {
  constructor() {
    super('RATE_LIMIT_EXCEEDED', 'There were too many replies to this ticket within the last hour. Try again later.', {
      retry_after: HOUR_MS / 1000,
    });
  }
}
