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

@InputType()
export class ArticleCreateInput {
  @Field(() => String)
  @Characters(1, 200)
  title!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxCharacters(500)
  summary?: string;

  @Field(() => String, { description: 'Markdown.' })
  @Characters(1, 100_000)
  body!: string;

  @Field(() => String, { description: `One of ${CATEGORY_IDS.join(', ')}.` })
  @IsIn(CATEGORY_IDS, CATEGORY)
  category!: string;

  @Field(() => [String], { nullable: true, description: `At most ${TAGS_MAX}; kept in lower case.` })
  @IsOptional()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @Field(() => ArticleKind, { defaultValue: ArticleKind.ARTICLE })
  kind: ArticleKind = ArticleKind.ARTICLE;

  @Field(() => ArticleStatus, { defaultValue: ArticleStatus.DRAFT })
  status: ArticleStatus = ArticleStatus.DRAFT;

  @Field(() => Int, { nullable: true, description: 'Its place in its category of the FAQ. Default: 0.' })
  @IsOptional()
  @Min(0, POSITION_RULE)
  @Max(10_000, POSITION_RULE)
  position?: number;
}

@InputType()
export class ArticleUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Characters(1, 200)
  title?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @MaxCharacters(500)
  summary?: string;

  @Field(() => String, { nullable: true, description: 'Markdown.' })
  @NotNull()
  @Characters(1, 100_000)
  body?: string;

  @Field(() => String, { nullable: true, description: `One of ${CATEGORY_IDS.join(', ')}.` })
  @NotNull()
  @IsIn(CATEGORY_IDS, CATEGORY)
  category?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces the tags.' })
  @NotNull()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @Field(() => ArticleKind, { nullable: true })
  @NotNull()
  kind?: ArticleKind;

  @Field(() => ArticleStatus, { nullable: true, description: 'Published, archived, or a draft again.' })
  @NotNull()
  status?: ArticleStatus;

  @Field(() => Int, { nullable: true })
  @NotNull()
  @Min(0, POSITION_RULE)
  @Max(10_000, POSITION_RULE)
  position?: number;
}

/** Search criteria for articles. */
@InputType()
export class KnowledgeSearchInput {
  @Field(() => String, {
    nullable: true,
    description:
      'Words, all of which must stand in it; "quoted ones" next to each other, `or` between alternatives, `-word` for what must not. Where plain words find nothing, what resembles them.',
  })
  @IsOptional()
  @Characters(1, 500)
  q?: string;

  @Field(() => [String], { nullable: true, description: `Of ${CATEGORY_IDS.join(', ')}.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { each: true, ...CATEGORY })
  category?: string[];

  @Field(() => [String], { nullable: true, description: 'Any of these.' })
  @IsOptional()
  @ArrayMaxSize(TAGS_MAX, { message: `must be at most ${TAGS_MAX}` })
  @Matches(TAG, TAG_RULE)
  tag?: string[];

  @Field(() => ArticleKind, { nullable: true })
  kind?: ArticleKind;
}

@InputType()
export class ArticleFilter extends KnowledgeSearchInput {
  @Field(() => [ArticleStatus], { nullable: true, description: 'Default: published. Who may not edit finds nothing else.' })
  status?: ArticleStatus[];
}

@InputType()
export class FaqFilter {
  @Field(() => [String], { nullable: true, description: `Of ${CATEGORY_IDS.join(', ')}.` })
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
