import DataLoader from 'dataloader';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { Article } from './article.entity.ts';
import { ArticleStatus } from './article.states.ts';
import { type ArticleHelpfulness, NO_RATINGS } from './article.values.ts';
import type { ArticleSearch } from './article-search.ts';

export interface ArticleLoaderDeps {
  em: EntityManager;
  rows: Rows;
  search: ArticleSearch;
  organizationId: string;
  /** True if the caller may read unpublished articles. */
  isEditor: boolean;
}

/**
 * Loads articles, their ratings and their related articles by article id. One query serves all loads of a request that
 * are made at the same time.
 */
export class ArticleLoader {
  readonly #byId: DataLoader<string, Article | null>;
  readonly #helpfulness: DataLoader<string, ArticleHelpfulness>;
  readonly #related = new Map<number, DataLoader<string, string[]>>();

  constructor(private readonly deps: ArticleLoaderDeps) {
    this.#byId = new DataLoader((ids) => this.#read(ids));
    this.#helpfulness = new DataLoader((ids) => this.#rated(ids));
  }

  /** Returns an article; null if the article does not exist or the caller may not read it. */
  load(id: string): Promise<Article | null> {
    return this.#byId.load(id);
  }

  helpfulness(id: string): Promise<ArticleHelpfulness> {
    return this.#helpfulness.load(id);
  }

  async related(id: string, limit: number): Promise<Article[]> {
    const { search, organizationId } = this.deps;
    const loader = this.#related.get(limit) ?? new DataLoader((ids) => search.related(organizationId, ids, limit));
    this.#related.set(limit, loader);
    const found = await Promise.all((await loader.load(id)).map((other) => this.load(other)));
    return found.filter((article) => article !== null);
  }

  async #read(ids: readonly string[]): Promise<(Article | null)[]> {
    const { em, isEditor } = this.deps;
    const where = { id: { $in: [...ids] }, ...(!isEditor && { status: ArticleStatus.PUBLISHED }) };
    const found = new Map((await em.find(Article, where, { disableIdentityMap: true })).map((article) => [article.id, article]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async #rated(ids: readonly string[]): Promise<ArticleHelpfulness[]> {
    const { em, rows, organizationId } = this.deps;
    const found = await rows.query<ArticleHelpfulness & { id: string }>(
      `select "article_id" as id, count(*)::int as ratings, count(*) filter (where "rating" >= 4)::int as helpful,
              count(*) filter (where "rating" <= 2)::int as unhelpful, round(avg("rating"), 2)::float8 as "averageRating"
       from "${em.config.getAll().schema}"."feedback" where "organization_id" = $1 and "article_id" = any($2) group by "article_id"`,
      [organizationId, ids],
    );
    const byId = new Map(found.map(({ id, ...helpfulness }) => [id, helpfulness]));
    return ids.map((id) => byId.get(id) ?? NO_RATINGS);
  }
}
