import { ArrayMaxSize, IsIn, IsOptional, Matches, Max, Min } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';
import { ArticleKind, ArticleStatus } from './article.states.ts';

const CATEGORY = { message: `must be one of ${CATEGORY_IDS.join(', ')}` };
const TAG = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,49}$/u;
const TAG_RULE = { each: true, message: 'must be tags of 1 to 50 letters, digits, spaces, dots, dashes and underscores' };
const TAGS_MAX = 20;
const POSITION_RULE = { message: 'must be between 0 and 10000' };

@InputType({ description: 'Article to create.' })
export class ArticleCreateInput {
  @Field(() => String, { description: 'Title, 1 to 200 characters. In the FAQ it is the question.' })
  @Characters(1, 200)
  title!: string;

  @Field(() => String, { nullable: true, description: 'Summary in one or two sentences, at most 500 characters. Default: none.' })
  @IsOptional()
  @MaxCharacters(500)
  summary?: string;

  @Field(() => String, { description: 'Text in Markdown, 1 to 100000 characters. In the FAQ it is the answer.' })
  @Characters(1, 100_000)
  body!: string;

  @Field(() => String, { description: `Category: ${CATEGORY_IDS.join(', ')}.` })
  @IsIn(CATEGORY_IDS, CATEGORY)
  category!: string;

  @Field(() => [String], {
    nullable: true,
    description: `Tags, at most ${TAGS_MAX}, each with 1 to 50 letters, digits, spaces, dots, dashes and underscores. They are stored in lower case.`,
  })
  @IsOptional()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @Field(() => ArticleKind, { defaultValue: ArticleKind.ARTICLE, description: 'Article or FAQ entry.' })
  kind: ArticleKind = ArticleKind.ARTICLE;

  @Field(() => ArticleStatus, { defaultValue: ArticleStatus.DRAFT, description: 'State of the new article.' })
  status: ArticleStatus = ArticleStatus.DRAFT;

  @Field(() => Int, { nullable: true, description: 'Sort position within its category of the FAQ, 0 to 10000. Default: 0.' })
  @IsOptional()
  @Min(0, POSITION_RULE)
  @Max(10_000, POSITION_RULE)
  position?: number;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class ArticleUpdateInput {
  @Field(() => String, { nullable: true, description: 'Title, 1 to 200 characters. In the FAQ it is the question.' })
  @NotNull()
  @Characters(1, 200)
  title?: string;

  @Field(() => String, { nullable: true, description: 'Summary in one or two sentences, at most 500 characters.' })
  @NotNull()
  @MaxCharacters(500)
  summary?: string;

  @Field(() => String, { nullable: true, description: 'Text in Markdown, 1 to 100000 characters. In the FAQ it is the answer.' })
  @NotNull()
  @Characters(1, 100_000)
  body?: string;

  @Field(() => String, { nullable: true, description: `Category: ${CATEGORY_IDS.join(', ')}.` })
  @NotNull()
  @IsIn(CATEGORY_IDS, CATEGORY)
  category?: string;

  @Field(() => [String], { nullable: true, description: `Tags, at most ${TAGS_MAX}. Replaces the whole list.` })
  @NotNull()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @Field(() => ArticleKind, { nullable: true, description: 'Article or FAQ entry.' })
  @NotNull()
  kind?: ArticleKind;

  @Field(() => ArticleStatus, { nullable: true, description: 'New state: published, archived, or draft.' })
  @NotNull()
  status?: ArticleStatus;

  @Field(() => Int, { nullable: true, description: 'Sort position within its category of the FAQ, 0 to 10000.' })
  @NotNull()
  @Min(0, POSITION_RULE)
  @Max(10_000, POSITION_RULE)
  position?: number;
}

/** Search criteria for articles. */
@InputType({ description: 'Search words and filters.' })
export class KnowledgeSearchInput {
  @Field(() => String, {
    nullable: true,
    description:
      'Search words, 1 to 500 characters. All words must occur. "Quoted words" must be adjacent, `or` separates alternatives, and `-word` excludes articles with the word. If nothing is found, similar words are searched.',
  })
  @IsOptional()
  @Characters(1, 500)
  q?: string;

  @Field(() => [String], { nullable: true, description: `Only these categories: ${CATEGORY_IDS.join(', ')}.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { each: true, ...CATEGORY })
  category?: string[];

  @Field(() => [String], { nullable: true, description: 'Only articles with at least one of these tags.' })
  @IsOptional()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tag?: string[];

  @Field(() => ArticleKind, { nullable: true, description: 'Only articles, or only FAQ entries. Default: both.' })
  kind?: ArticleKind;
}

@InputType({ description: 'Conditions for a list of articles. An article must meet all of them.' })
export class ArticleFilter extends KnowledgeSearchInput {
  @Field(() => [ArticleStatus], {
    nullable: true,
    description: 'Only articles in one of these states. Default: published. Callers without `support:write` find published articles only.',
  })
  status?: ArticleStatus[];
}

@InputType({ description: 'Conditions for the FAQ.' })
export class FaqFilter {
  @Field(() => [String], { nullable: true, description: `Only these categories: ${CATEGORY_IDS.join(', ')}.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { each: true, ...CATEGORY })
  category?: string[];
}

export enum ArticleSortField {
  UPDATED_AT = 'updatedAt',
  CREATED_AT = 'createdAt',
  TITLE = 'title',
  CATEGORY = 'category',
}
export const ArticleSort = sortOf('Article', ArticleSortField);
