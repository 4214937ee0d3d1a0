import type { EntityManager } from '../../../kernel/database/database.ts';
import { Attachment } from '../attachments/attachment.entity.ts';
import { Comment } from '../comments/comment.entity.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { Visibility } from '../visibility.ts';

/** How many comments one page shows. */
const SHOWN = 50;

/** What the customer's page shows of a ticket: nothing that is internal, whoever looks. */
export interface TicketView {
  ticket: Ticket;
  /** Oldest first. */
  comments: readonly Comment[];
  hasEarlier: boolean;
  /** Of the ticket itself and of these comments. */
  attachments: readonly Attachment[];
}

/** With the newest comments, or those before the comment of this id. */
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

/** A file of the ticket that its customer may have. */
export const attachmentOf = (em: EntityManager, ticketId: string, id: string): Promise<Attachment | null> =>
  em.findOne(Attachment, { id, ticketId, visibility: Visibility.CUSTOMER });

/** Who looks at the page of a ticket, and may do there what they may elsewhere. */
export interface Visitor {
  /** What the page says of who they are. */
  who: string;
  mayReply: boolean;
  /** Whether they have signed in, and can sign out. */
  isSignedIn: boolean;
  /** With the newest comments, or those before the comment of this id. */
  view(before?: string): Promise<TicketView>;
  attachment(id: string): Promise<Attachment | null>;
  reply(content: string): Promise<unknown>;
}
