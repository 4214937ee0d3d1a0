import type { EntityManager } from '../../../kernel/database/database.ts';
import { Attachment } from '../attachments/attachment.entity.ts';
import { Comment } from '../comments/comment.entity.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { Visibility } from '../visibility.ts';

/** Maximum number of comments on one page. */
const SHOWN = 50;

/**
 * Data of the web page of a ticket for its customer. Never contains internal content, even if an agent opens the page.
 */
export interface TicketView {
  ticket: Ticket;
  /** Comments that the page shows, from oldest to newest. */
  comments: readonly Comment[];
  hasEarlier: boolean;
  /** Files of the ticket itself and of `comments`. */
  attachments: readonly Attachment[];
}

/**
 * Loads the data of the page, with the newest comments. If `before` is the id of a comment, only comments that are
 * older than this comment are included.
 */
export async function viewOf(em: EntityManager, ticket: Ticket, before: string | undefined): Promise<TicketView> {
  const where = { ticketId: ticket.id, visibility: Visibility.CUSTOMER };
  const next = before === undefined ? null : await em.findOne(Comment, { ...where, id: before });
  const earlier = next && { $or: [{ createdAt: { $lt: next.createdAt } }, { createdAt: next.createdAt, id: { $lt: next.id } }] };
  const found = await em.find(Comment, { ...where, ...earlier }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: SHOWN + 1 });
  const comments = found.slice(0, SHOWN).toReversed();
  const shown = { ...where, $or: [{ commentId: null }, { commentId: { $in: comments.map(({ id }) => id) } }] };
  const attachments = await em.find(Attachment, shown, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return { ticket, comments, hasEarlier: found.length > SHOWN, attachments };
}

/** Finds a file of the ticket. Returns null if the customer may not read it. */
export const attachmentOf = (em: EntityManager, ticketId: string, id: string): Promise<Attachment | null> =>
  em.findOne(Attachment, { id, ticketId, visibility: Visibility.CUSTOMER });

/** A person who opens the page of a ticket: a signed-in user, or the recipient of a mail. */
export interface Visitor {
  /** Name of the visitor, which the page shows. */
  who: string;
  mayReply: boolean;
  /** True if the visitor has signed in. Only visitors who have signed in can sign out. */
  isSignedIn: boolean;
  /**
   * Loads the data of the page, with the newest comments. If `before` is the id of a comment, only comments that are
   * older than this comment are included.
   */
  view(before?: string): Promise<TicketView>;
  attachment(id: string): Promise<Attachment | null>;
  reply(content: string): Promise<unknown>;
}
