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

@Resolver(() => Article)
export class ArticleResolver {
  @Query(() => Article, { nullable: true })
  @Requires('support:read', { scope: 'open' })
  article(@Arg('id', () => ID) id: string, @Ctx() { articles }: SupportContext): Promise<Article | null> {
    return articles.find(id);
  }

  @Query(() => ArticlePage, { description: 'The latest first; with `q` and without `sort` the best first.' })
  @Requires('support:read', { scope: 'open' })
  articles(
    @Arg('filter', () => ArticleFilter, { nullable: true }) filter: ArticleFilter | undefined,
    @Arg('sort', () => [ArticleSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Page<Article>> {
    return articles.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Query(() => KnowledgeHitPage, { description: 'What is published, the FAQ included, the best first and with where its words stand.' })
  @Requires('support:read', { scope: 'open' })
  searchKnowledge(
    @Arg('input', () => KnowledgeSearchInput, { nullable: true }) input: KnowledgeSearchInput | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Page<KnowledgeHit>> {
    return articles.search(input ?? {}, page ?? {});
  }

  @Query(() => [FaqSection], { description: 'Frequently asked questions, by category.' })
  @Requires('support:read', { scope: 'open' })
  faq(
    @Arg('filter', () => FaqFilter, { nullable: true }) filter: FaqFilter | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<FaqSection[]> {
    return articles.faq(filter?.category);
  }

  @Mutation(() => Article)
  @Requires('support:write', { scope: 'organization' })
  createArticle(@Arg('input', () => ArticleCreateInput) input: ArticleCreateInput, @Ctx() { articles }: SupportContext): Promise<Article> {
    return articles.create(input);
  }

  @Mutation(() => Article, { description: 'Changes what it says, publishes or archives it. The platform’s own are read-only.' })
  @Requires('support:write', { scope: 'organization' })
  updateArticle(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ArticleUpdateInput) input: ArticleUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { articles }: SupportContext,
  ): Promise<Article> {
    return articles.update(id, input, expectedRevision);
  }

  @Mutation(() => Article, { description: 'For good, with the feedback about it. The platform’s own are read-only.' })
  @Requires('support:write', { scope: 'organization' })
  deleteArticle(@Arg('id', () => ID) id: string, @Ctx() { articles }: SupportContext): Promise<Article> {
    return articles.delete(id);
  }

  @FieldResolver(() => ArticleHelpfulness)
  helpfulness(@Root() { id }: Article, @Ctx() { articleLoader }: SupportContext): Promise<ArticleHelpfulness> {
    return articleLoader.helpfulness(id);
  }

  @FieldResolver(() => [Article], { description: 'Published ones most like it: by tags, then by category and title.' })
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
  @FieldResolver(() => Article, { nullable: true })
  article(@Root() { articleId }: KnowledgeHit, @Ctx() { articleLoader }: SupportContext): Promise<Article | null> {
    return articleLoader.load(articleId);
  }
}
