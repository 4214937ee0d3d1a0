import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { SupportContext } from '../context.ts';
import { Article } from './article.entity.ts';
import { ArticleCreateInput, ArticleFilter, ArticleSort, ArticleUpdateInput, FaqFilter, KnowledgeSearchInput } from './article.inputs.ts';
import { ArticleHelpfulness, FaqSection, KnowledgeHit } from './article.values.ts';

const ArticlePage = pageOf('Article', Article);
const KnowledgeHitPage = pageOf('KnowledgeHit', KnowledgeHit);
const SORT = 'Fields to sort by, the most significant first. Default: the last changed first, or the best match first if `q` is given.';

@Resolver(() => Article)
export class ArticleResolver {
  @Query(() => Article, {
    nullable: true,
    description: 'Get a knowledge base article or FAQ entry by id. Null if it does not exist or the caller may not read it.',
  })
  @Requires('support:read', { scope: 'open' })
  article(@Arg('id', () => ID) id: string, @Ctx() { articles }: SupportContext): Promise<Article | null> {
    return articles.find(id);
  }

  @Query(() => ArticlePage, {
    description: 'List articles, the last changed first. With `q` and without `sort`, the best match comes first.',
  })
  @Requires('support:read', { scope: 'open' })
  articles(
    @Arg('filter', () => ArticleFilter, { nullable: true }) filter: ArticleFilter | undefined,
    @Arg('sort', () => [ArticleSort], { nullable: true, description: SORT }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Page<Article>> {
    return articles.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Query(() => KnowledgeHitPage, { description: 'Search published articles and the FAQ. The best match comes first, with an excerpt.' })
  @Requires('support:read', { scope: 'open' })
  searchKnowledge(
    @Arg('input', () => KnowledgeSearchInput, { nullable: true, description: 'Search words and filters.' }) input:
      | KnowledgeSearchInput
      | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Page<KnowledgeHit>> {
    return articles.search(input ?? {}, page ?? {});
  }

  @Query(() => [FaqSection], { description: 'Get the frequently asked questions by category.' })
  @Requires('support:read', { scope: 'open' })
  faq(
    @Arg('filter', () => FaqFilter, { nullable: true }) filter: FaqFilter | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<FaqSection[]> {
    return articles.faq(filter?.category);
  }

  @Mutation(() => Article, { description: 'Create an article of the knowledge base or a question of the FAQ.' })
  @Requires('support:write', { scope: 'organization' })
  createArticle(@Arg('input', () => ArticleCreateInput) input: ArticleCreateInput, @Ctx() { articles }: SupportContext): Promise<Article> {
    return articles.create(input);
  }

  @Mutation(() => Article, { description: 'Change, publish or archive an article. Articles of the platform cannot be changed.' })
  @Requires('support:write', { scope: 'organization' })
  updateArticle(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ArticleUpdateInput) input: ArticleUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Article> {
    return articles.update(id, input, expectedRevision);
  }

  @Mutation(() => Article, { description: 'Permanently delete an article and its ratings. Articles of the platform cannot be deleted.' })
  @Requires('support:write', { scope: 'organization' })
  deleteArticle(@Arg('id', () => ID) id: string, @Ctx() { articles }: SupportContext): Promise<Article> {
    return articles.delete(id);
  }

  @FieldResolver(() => ArticleHelpfulness, { description: 'Ratings by readers of your organization.' })
  helpfulness(@Root() { id }: Article, @Ctx() { articleLoader }: SupportContext): Promise<ArticleHelpfulness> {
    return articleLoader.helpfulness(id);
  }

  @FieldResolver(() => [Article], { description: 'Published articles with the most similar tags, category and title.' })
  related(
    @Root() { id }: Article,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { articleLoader }: SupportContext,
  ): Promise<Article[]> {
    return articleLoader.related(id, relationLimit(limit));
  }
}

@Resolver(() => KnowledgeHit)
export class KnowledgeHitResolver {
  @FieldResolver(() => Article, { nullable: true, description: 'The article. Null if it was deleted in the meantime.' })
  article(@Root() { articleId }: KnowledgeHit, @Ctx() { articleLoader }: SupportContext): Promise<Article | null> {
    return articleLoader.load(articleId);
  }
}
