import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import { isEditor } from '../visibility.ts';
import { ArticleLoader } from './article.loader.ts';
import { ArticleService } from './article.service.ts';
import { ArticleSearch } from './article-search.ts';

/** Services for the resolvers of articles. */
export interface KnowledgeContext {
  articles: ArticleService;
  loader: ArticleLoader;
}

/**
 * Creates the article search, which all requests use, and returns a function that creates the services of one request.
 */
export function knowledgeOf({ orm, rows, clock }: { orm: Orm; rows: Rows; clock: Clock }) {
  const search = new ArticleSearch({ orm, rows });
  return (em: EntityManager, principal: Principal): KnowledgeContext => {
    const { organizationId } = principal;
    const loader = new ArticleLoader({ em, rows, search, organizationId, isEditor: isEditor(principal) });
    return { articles: new ArticleService({ em, principal, clock, loader, search }), loader };
  };
}
