import type { Dictionary } from '@mikro-orm/core';
import { Entity, Enum, Filter, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { ArticleKind, ArticleStatus, articleStates } from './article.states.ts';

/** How the words of an article weigh: the title most, then summary and tags, then the rest. Part of the table (migration 0011). */
const SEARCH = `"support"."words_of"("title", 'A') || "support"."words_of"("summary", 'B') || "support"."words_of"("tags"::text, 'B') || "support"."words_of"("body", 'C')`;

/**
 * An article of the knowledge base (specification 4.7). An organization has its own; those of the platform (without an
 * organization) are everybody's to read and nobody's to change. So the filter that scopes every query is a wider one here, and what
 * changes an article looks whose it is.
 */
@ObjectType({ description: 'An article of the knowledge base, or a question of the FAQ with its answer.' })
@Entity({ tableName: 'article' })
@Filter({
  name: 'organization',
  cond: ({ id }: Dictionary) => ({ $or: [{ organizationId: id as string }, { organizationId: null }] }),
  default: true,
})
@Index({ properties: ['organizationId', 'updatedAt', 'id'] })
@Index({ name: 'article_search_index', expression: 'create index "article_search_index" on "support"."article" using gin ("search")' })
export class Article {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  /** Null for the platform's own. */
  @Property({ type: 'text', nullable: true })
  organizationId: string | null = null;

  @Field(() => ArticleKind)
  @Enum({ items: () => ArticleKind, type: 'text' })
  kind: ArticleKind = ArticleKind.ARTICLE;

  @Field(() => String, { description: 'The question, in the FAQ.' })
  @Property({ type: 'text' })
  title!: string;

  @Field(() => String, { description: 'One or two sentences; empty where there is none.' })
  @Property({ type: 'text' })
  summary = '';

  @Large(100_000)
  @Field(() => String, { description: 'Markdown, as its author wrote it: render it with HTML switched off. The answer, in the FAQ.' })
  @Property({ type: 'text' })
  body!: string;

  @Field(() => String, { description: 'A category of tickets, such as `connectivity`.' })
  @Property({ type: 'text' })
  category!: string;

  @Field(() => [String])
  @Property({ type: 'json' })
  tags: string[] = [];

  @Field(() => ArticleStatus)
  @Enum({ items: () => ArticleStatus, type: 'text' })
  status: ArticleStatus = ArticleStatus.DRAFT;

  @Field(() => Int, { description: 'Its place in its category of the FAQ.' })
  @Property({ type: 'integer' })
  position = 0;

  @Field(() => Int, { description: 'From 1; one more with each change of what it says.' })
  @Property({ type: 'integer' })
  version = 1;

  @Field(() => String, { description: 'What wrote it: user, api_key, client or certificate; system for the platform’s own.' })
  @Property({ type: 'text' })
  authorKind!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  authorId!: string;

  @Field(() => Date, { nullable: true, description: 'When it was last published; null until then.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  publishedAt: Date | null = null;

  @Revision()
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** What full text search reads. The database makes it. */
  @Property({ columnType: 'tsvector', generated: `(${SEARCH}) stored`, lazy: true, nullable: true })
  readonly search?: string;

  @Field(() => Boolean, { description: 'Whether it is one of the platform’s own, which all organizations read and none changes.' })
  get isPlatform(): boolean {
    return this.organizationId === null;
  }

  /** @throws InvalidState */
  moveTo(status: ArticleStatus, now: Date): void {
    articleStates.check(this.status, status);
    this.status = status;
    if (status === ArticleStatus.PUBLISHED) this.publishedAt = now;
  }
}
