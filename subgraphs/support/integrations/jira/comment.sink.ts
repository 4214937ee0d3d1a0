import type { EntityManager } from '../../../../kernel/database.ts';

/** A comment that somebody wrote elsewhere. */
export interface ForeignComment {
  organizationId: string;
  ticketId: string;
  content: string;
  visibility: 'customer' | 'internal';
  /** Where its author is known from, and as whom. */
  author: { type: 'jira'; id: string; name: string };
}

/** Takes comments from elsewhere onto tickets, within the caller's transaction. */
export interface CommentSink {
  add(tx: EntityManager, comment: ForeignComment): Promise<{ id: string }>;
}
