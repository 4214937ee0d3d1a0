import type { EntityManager } from '../../../kernel/database/database.ts';
import { Comment } from '../comments/comment.entity.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { Visibility } from '../visibility.ts';

/** So many of the newest comments are shown: a page is no archive. */
const SHOWN = 50;

/** What the customer's page shows of a ticket: nothing that is internal, whoever looks. */
export interface TicketView {
  ticket: Ticket;
  /** Oldest first. */
  comments: readonly Comment[];
  hasEarlier: boolean;
}

export async function viewOf(em: EntityManager, ticket: Ticket): Promise<TicketView> {
  const where = { ticketId: ticket.id, visibility: Visibility.CUSTOMER };
  const newest = await em.find(Comment, where, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: SHOWN + 1 });
  return { ticket, comments: newest.slice(0, SHOWN).toReversed(), hasEarlier: newest.length > SHOWN };
}

/** Who looks at the page of a ticket, and may do there what they may elsewhere. */
export interface Visitor {
  /** What the page says of who they are. */
  who: string;
  mayReply: boolean;
  /** Whether they have signed in, and can sign out. */
  isSignedIn: boolean;
  view(): Promise<TicketView>;
  reply(content: string): Promise<unknown>;
}
