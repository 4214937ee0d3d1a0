import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { Article } from '../knowledge/article.entity.ts';
import { ArticleStatus } from '../knowledge/article.states.ts';
import { TicketStatus } from '../ticket.states.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { isDesk } from '../visibility.ts';
import { Feedback } from './feedback.entity.ts';
import type { FeedbackFilter, FeedbackInput } from './feedback.inputs.ts';

/** Number of days after the resolution of a ticket during which callers can rate it and change the rating. */
export const RATING_WINDOW_DAYS = 14;

export interface FeedbackServiceDeps {
  em: EntityManager;
  principal: Principal;
  clock: Clock;
}

/** Manages the ratings of the caller's organization (specification 4.7). */
export class FeedbackService {
  constructor(private readonly deps: FeedbackServiceDeps) {}

  /**
   * Stores a rating. A ticket has one rating, which each later rating of the ticket replaces. An article has one rating
   * for each reader.
   * @throws ResourceNotFound for a ticket or article that the caller cannot see
   * @throws PlatformError INVALID_STATE for a ticket that is not resolved or was resolved too long ago, and if an agent
   * tries to replace another person's rating
   */
  async submit({ rating, comment, ticketId, articleId }: FeedbackInput): Promise<Feedback> {
    const { em, principal, clock } = this.deps;
    const now = clock.now();
    const author = { authorKind: principal.kind, authorId: principal.id };
    const said = { rating, comment: comment ?? null, updatedAt: now };
    return em.transactional(async (tx) => {
      if (ticketId) await this.#checkTicket(tx, ticketId, now);
      if (articleId) await this.#checkArticle(tx, articleId);
      const before = await this.#before(tx, { ticketId, articleId });
      if (before) {
        this.#checkAuthor(before);
        return Object.assign(before, author, said);
      }
      const feedback = new Feedback();
      const subject = { ticketId: ticketId ?? null, articleId: articleId ?? null };
      Object.assign(feedback, said, author, subject, { id: newId('feedback'), organizationId: principal.organizationId, createdAt: now });
      tx.persist(feedback);
      return feedback;
    });
  }

  list({ createdAfter, createdBefore, ...lists }: FeedbackFilter, sort: SortBy[], page: PageInput): Promise<Page<Feedback>> {
    const where = matching<Feedback>({ ...lists, createdAt: between(createdAfter, createdBefore) });
    return listPage(this.deps.em, Feedback, { where, sort, page, defaultSort: NEWEST_FIRST });
  }

  #before(tx: EntityManager, { ticketId, articleId }: Pick<FeedbackInput, 'ticketId' | 'articleId'>): Promise<Feedback | null> {
    const { kind, id, organizationId } = this.deps.principal;
    if (ticketId) return tx.findOne(Feedback, { ticketId });
    // searches without the account filter, because ratings of articles belong to no account
    const own = { organizationId, articleId, authorKind: kind, authorId: id };
    if (articleId) return tx.findOne(Feedback, own, EVERYWHERE);
    return Promise.resolve(null);
  }

  #checkAuthor({ id, ticketId, authorKind, authorId }: Feedback): void {
    const { principal } = this.deps;
    if (!isDesk(principal) || (authorKind === principal.kind && authorId === principal.id)) return;
    throw new PlatformError('INVALID_STATE', 'This rating was given by somebody else. Agents can change only their own ratings.', {
      id,
      ticket_id: ticketId,
    });
  }

  /**
   * Checks that the ticket can be rated. Locks the ticket, so that concurrent ratings of the ticket are stored one
   * after the other.
   */
  async #checkTicket(tx: EntityManager, id: string, now: Date): Promise<void> {
    const ticket = orNotFound(await tx.findOne(Ticket, { id }, LOCKED), 'ticket', id);
    const { status, resolvedAt } = ticket;
    if (status !== TicketStatus.RESOLVED || !resolvedAt)
      throw new PlatformError('INVALID_STATE', `Only a resolved ticket can be rated; this one is ${status}.`, { id, status });
    const until = new Date(resolvedAt.getTime() + RATING_WINDOW_DAYS * DAY_MS);
    if (now > until)
      throw new PlatformError('INVALID_STATE', `A ticket can be rated only within ${RATING_WINDOW_DAYS} days after it was resolved.`, {
        id,
        status,
        until: until.toISOString(),
      });
  }

  /**
   * Checks that the article is published. Takes a lock per article and reader, so that a reader's concurrent ratings run one
   * after the other.
   */
  async #checkArticle(tx: EntityManager, id: string): Promise<void> {
    orNotFound(await tx.findOne(Article, { id, status: ArticleStatus.PUBLISHED }), 'article', id);
    const { kind, id: author } = this.deps.principal;
    await advisoryLock(tx, `${id} ${kind} ${author}`);
  }
}
