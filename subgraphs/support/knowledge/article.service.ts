import { type FilterQuery, raw } from '@mikro-orm/core';
import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { matching } from '../../../kernel/records/where.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';
import { Feedback } from '../feedback/feedback.entity.ts';
import { isEditor } from '../visibility.ts';
import { searchQuery, spelled } from '../words.ts';
import { Article } from './article.entity.ts';
import type { ArticleCreateInput, ArticleFilter, ArticleUpdateInput, KnowledgeSearchInput } from './article.inputs.ts';
import type { ArticleLoader } from './article.loader.ts';
import { ArticleKind, ArticleStatus } from './article.states.ts';
import { type FaqSection, type KnowledgeHit, KnowledgeMatch } from './article.values.ts';
import { headlineHtml } from './article-headline.ts';
import type { ArticleSearch } from './article-search.ts';

export interface ArticleServiceDeps {
  em: EntityManager;
  principal: Principal;
  clock: Clock;
  loader: ArticleLoader;
  search: ArticleSearch;
}

const LATEST_FIRST: readonly SortBy[] = [{ field: 'updatedAt', order: SortOrder.DESC }];
/** Maximum number of questions that the FAQ lists. Further questions can be found only by the search. */
const FAQ_MAX = 500;

/** Manages the articles of the caller's organization, and reads articles of the platform (specification 4.7). */
export class ArticleService {
  constructor(private readonly deps: ArticleServiceDeps) {}

  /**
   * Returns an article. Returns null if it belongs to another organization, or if it is not published and the caller is
   * not an editor.
   */
  find(id: string): Promise<Article | null> {
    return this.deps.loader.load(id);
  }

  /** Lists articles. If there are search words and `sort` is empty, the best match comes first. */
  async list(filter: ArticleFilter, sort: SortBy[], page: PageInput): Promise<Page<Article>> {
    const { em, loader } = this.deps;
    if (filter.q === undefined || filter.q === null || sort.length > 0) {
      return listPage(em, Article, { where: this.#whereOf(filter), sort, page, defaultSort: LATEST_FIRST });
    }
    const { nodes, pageInfo } = await this.#find({ ...filter, q: filter.q }, page);
    const articles = await Promise.all(nodes.map(({ articleId }) => loader.load(articleId)));
    return { nodes: articles.filter((article) => article !== null), pageInfo };
  }

  /**
   * Searches published articles, best match first. If there are no search words, lists all published articles, the most
   * recently updated article first.
   */
  async search({ q, ...others }: KnowledgeSearchInput, page: PageInput): Promise<Page<KnowledgeHit>> {
    const status = [ArticleStatus.PUBLISHED];
    if (q !== undefined && q !== null) return this.#find({ ...others, q, status }, page);
    const { nodes, pageInfo } = await this.list({ ...others, status }, [], page);
    return { nodes: nodes.map(asHit), pageInfo };
  }

  /** Lists the published questions of the FAQ by category, in the order of `CATEGORY_IDS`. Omits categories without questions. */
  async faq(category: readonly string[] | null | undefined): Promise<FaqSection[]> {
    const where = { kind: ArticleKind.FAQ, status: ArticleStatus.PUBLISHED, ...(category && { category: { $in: [...category] } }) };
    const orderBy = [{ position: 'asc' }, { id: 'asc' }] as const;
    const found = await this.deps.em.find(Article, where, { orderBy: [...orderBy], limit: FAQ_MAX, disableIdentityMap: true });
    const sections = CATEGORY_IDS.map((name) => ({ category: name, questions: found.filter((article) => article.category === name) }));
    return sections.filter(({ questions }) => questions.length > 0);
  }

  async create({ summary, tags, position, ...input }: ArticleCreateInput): Promise<Article> {
    const { em, clock, principal } = this.deps;
    const now = clock.now();
    return em.transactional(async (tx) => {
      const article = Object.assign(new Article(), input, {
        id: newId('article'),
        organizationId: principal.organizationId,
        summary: summary ?? '',
        tags: tagsOf(tags ?? []),
        position: position ?? 0,
        authorKind: principal.kind,
        authorId: principal.id,
        createdAt: now,
        updatedAt: now,
      });
      if (article.status === ArticleStatus.PUBLISHED) article.publishedAt = now;
      tx.persist(article);
      return article;
    });
  }

  /**
   * Updates an article. `expected` is the revision that the caller has seen.
   * @throws ResourceNotFound, StaleResource
   * @throws PlatformError INVALID_STATE for an article of the platform, and for a status change that is not allowed
   */
  async update(id: string, { status, tags, ...input }: ArticleUpdateInput, expected?: number | null): Promise<Article> {
    return this.deps.em.transactional(async (tx) => {
      const article = await this.#own(tx, id);
      requireRevision(article, expected);
      const now = this.deps.clock.now();
      const before = contentOf(article);
      Object.assign(article, definedOnly(input), tags && { tags: tagsOf(tags) });
      const isRewritten = contentOf(article) !== before;
      if (isRewritten) article.version += 1;
      const moves = status !== undefined && status !== article.status;
      if (moves) article.moveTo(status, now);
      if (isRewritten || moves) article.updatedAt = now;
      return article;
    });
  }

  /**
   * Deletes an article and its ratings permanently. Returns the deleted article.
   * @throws ResourceNotFound, PlatformError INVALID_STATE
   */
  async delete(id: string): Promise<Article> {
    return this.deps.em.transactional(async (tx) => {
      const article = await this.#own(tx, id);
      await tx.nativeDelete(Feedback, { articleId: id });
      tx.remove(article);
      return article;
    });
  }

  get #isEditor(): boolean {
    return isEditor(this.deps.principal);
  }

  async #own(tx: EntityManager, id: string): Promise<Article> {
    const article = orNotFound(await tx.findOne(Article, { id }, LOCKED), 'article', id);
    if (article.isPlatform) {
      throw new PlatformError(
        'INVALID_STATE',
        'This article belongs to the platform and is read-only. Create an article of your own instead.',
        {
          id,
        },
      );
    }
    return article;
  }

  #find({ status, ...wanted }: ArticleFilter & { q: string }, page: PageInput): Promise<Page<KnowledgeHit>> {
    const { search, principal } = this.deps;
    return search.page(principal.organizationId, { ...wanted, tag: wanted.tag && tagsOf(wanted.tag), status: this.#visible(status) }, page);
  }

  #visible(status: readonly ArticleStatus[] | null | undefined): ArticleStatus[] {
    return (status ?? [ArticleStatus.PUBLISHED]).filter((one) => this.#isEditor || one === ArticleStatus.PUBLISHED);
  }

  #whereOf({ q, status, category, tag, kind }: ArticleFilter): FilterQuery<Article> {
    return matching<Article>({
      status: this.#visible(status),
      category,
      kind,
      $or: tag && tagsOf(tag).map((one) => ({ tags: { $contains: [one] } })),
      $and: q ? [{ [raw((alias) => `${alias}."search" @@ ${searchQuery('?')}`, [spelled(q)])]: [] }] : undefined,
    });
  }
}

/** Returns the content of an article as one text. If this text changes, the article gets a new version. */
const contentOf = ({ kind, title, summary, body, category, tags }: Article): string =>
  JSON.stringify([kind, title, summary, body, category, tags]);

const tagsOf = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.trim().toLowerCase()))];

const asHit = ({ id, title, summary }: Article): KnowledgeHit => ({
  articleId: id,
  rank: 0,
  headline: headlineHtml(summary || title),
  match: KnowledgeMatch.ALL,
});
