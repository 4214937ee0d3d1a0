import DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Feedback } from '../feedback/feedback.entity.ts';
import { FeedbackService } from '../feedback/feedback.service.ts';
import { ArticleLoader } from './article.loader.ts';
import { ArticleSearch } from './article.search.ts';
import { ArticleService } from './article.service.ts';

/** What resolvers of articles and feedback work with. */
export interface KnowledgeContext {
  articles: ArticleService;
  feedback: FeedbackService;
}

export interface KnowledgeLoaders {
  articles: ArticleLoader;
  /** By the ticket's id. */
  ticketFeedback: DataLoader<string, Feedback | null>;
}

/** Prepared once; what it answers is of one request. */
export function knowledgeOf({ orm, rows, clock }: { orm: Orm; rows: Rows; clock: Clock }) {
  const search = new ArticleSearch({ orm, rows });
  return (em: EntityManager, principal: Principal): KnowledgeContext & { loaders: KnowledgeLoaders } => {
    const { organizationId } = principal;
    const loader = new ArticleLoader({ em, rows, search, organizationId, isEditor: principal.may('support:write') });
    const feedback = new FeedbackService({ em, principal, clock });
    return {
      articles: new ArticleService({ em, principal, clock, loader, search }),
      feedback,
      loaders: { articles: loader, ticketFeedback: new DataLoader((ids) => feedback.ofTickets(ids)) },
    };
  };
}
