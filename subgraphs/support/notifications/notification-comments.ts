import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { instantOf, type MailComment } from '../../../kernel/messages/mail-document.ts';
import { Agent } from '../agents/agent.entity.ts';
import { Comment } from '../comments/comment.entity.ts';
import { Visibility } from '../visibility.ts';
import { CommentFilter } from './notification.states.ts';
import type { Contact } from './notification-sender.ts';

const MAX_COMMENTS = 10;
/**
 * Maximum length of a comment in a mail. A longer comment is truncated in the mail. The ticket contains the whole text.
 */
const CONTENT_LENGTH = 2_000;

const SHOWN: Readonly<Record<CommentFilter, object>> = {
  customer_visible: { visibility: Visibility.CUSTOMER },
  all: {},
  internal: { visibility: Visibility.INTERNAL },
};

/**
 * Returns the newest comments on a ticket, oldest first, for a mail to `contacts`.
 * @throws InvalidParameters if internal comments are included and a contact is not an active agent
 */
export async function commentsFor(
  tx: EntityManager,
  ticketId: string,
  filter: CommentFilter | null,
  contacts: readonly Contact[],
): Promise<MailComment[]> {
  if (!filter) return [];
  if (filter !== CommentFilter.CUSTOMER_VISIBLE) await checkAgents(tx, contacts);
  const where = { ticketId, ...SHOWN[filter] };
  const newest = await tx.find(Comment, where, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: MAX_COMMENTS });
  return newest
    .toReversed()
    .map(({ author, createdAt, content }) => ({ author: author.name, at: instantOf(createdAt), content: cut(content) }));
}

async function checkAgents(tx: EntityManager, contacts: readonly Contact[]): Promise<void> {
  const email = { $in: contacts.map(({ address }) => address.toLowerCase()) };
  // leaves out desk agents, because nobody reads mails to their generated addresses
  const agents = await tx.find(Agent, { email, active: true, desk: false });
  const known = new Set(agents.map((agent) => agent.email));
  const others = contacts.map(({ address }) => address).filter((address) => !known.has(address.toLowerCase()));
  const reasonFor = (address: string): string =>
    `contains ${address}, which is not the address of an active agent. Internal comments are sent only to agents`;
  refuse(others.map((address) => ({ field: 'recipients', value: address, reason: reasonFor(address) })));
}

const cut = (text: string): string => (text.length > CONTENT_LENGTH ? `${[...text].slice(0, CONTENT_LENGTH).join('')} …` : text);
