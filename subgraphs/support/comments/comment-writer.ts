import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { AttachmentStore, Upload } from '../attachments/attachment.store.ts';
import type { CommentAuthor } from '../comment-author.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import type { TicketEditor } from '../tickets/ticket-editor.ts';
import { Visibility } from '../visibility.ts';
import { Comment } from './comment.entity.ts';
import { commentAdded, noteAdded } from './comment.events.ts';

/** Content of a comment that is added. */
export interface Draft {
  content: string;
  type: string;
  visibility: Visibility;
  author: CommentAuthor;
  metadata?: Record<string, unknown>;
  uploads?: readonly Upload[];
}

export interface CommentWriterDeps {
  editor: TicketEditor;
  attachments: AttachmentStore;
  /** Public origin of the platform. The links in events begin with it. */
  origin: string;
}

/**
 * Creates comments, for requests and jobs. No other code creates comments. Stores the comment with its files, applies
 * the effect of the comment on the ticket, and records the event.
 */
export class CommentWriter {
  constructor(private readonly deps: CommentWriterDeps) {}

  /**
   * Adds a comment to a ticket.
   * @throws ResourceNotFound for a ticket that the transaction's organization does not have
   */
  async add(tx: EntityManager, ticketId: string, draft: Draft, actor: Actor): Promise<Comment> {
    let written: Comment | undefined;
    await this.deps.editor.change(tx, ticketId, actor, async (ticket, now) => {
      written = await this.append(tx, ticket, draft, actor, now);
    });
    return written as Comment;
  }

  /**
   * Adds a comment to a ticket that the transaction is changing. The transaction must not change the ticket after this
   * call.
   */
  async append(
    tx: EntityManager,
    ticket: Ticket,
    { uploads = [], author, metadata = {}, ...said }: Draft,
    actor: Actor,
    now: Date,
  ): Promise<Comment> {
    const { id: ticketId, organizationId } = ticket;
    const { attachments, origin } = this.deps;
    const comment = Object.assign(new Comment(), {
      ...said,
      id: newId('comment'),
      organizationId,
      ticketId,
      author,
      metadata,
      createdAt: now,
    });
    tx.persist(comment);
    const files = await attachments.attach(tx, uploads, { ticketId, commentId: comment.id, visibility: comment.visibility, actor, now });
    if (files.length > 0) ticket.hasAttachments = true;
    if (comment.visibility === Visibility.CUSTOMER) ticket.applyCommentOf(author.type, now);
    ticket.touch(now);
    const tell = comment.visibility === Visibility.INTERNAL ? noteAdded : commentAdded;
    await record(tx, tell(comment, files, ticket, origin));
    return comment;
  }
}
