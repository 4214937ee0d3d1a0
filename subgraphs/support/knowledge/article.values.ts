import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Article } from './article.entity.ts';

/** Ratings of an article by readers of the caller's organization. */
@ObjectType({ description: "What the organization's own readers made of an article, from the latest rating of each." })
export class ArticleHelpfulness {
  @Field(() => Int)
  ratings!: number;

  @Field(() => Int, { description: 'Ratings of 4 and 5.' })
  helpful!: number;

  @Field(() => Int, { description: 'Ratings of 1 and 2.' })
  unhelpful!: number;

  @Field(() => Float, { nullable: true, description: 'To two digits; null while there is no rating.' })
  averageRating!: number | null;
}

export const NO_RATINGS: ArticleHelpfulness = { ratings: 0, helpful: 0, unhelpful: 0, averageRating: null };

export enum KnowledgeMatch {
  /** There were no search words. */
  ALL = 'all',
  WORDS = 'words',
  SIMILAR = 'similar',
}
registerEnumType(KnowledgeMatch, {
  name: 'KnowledgeMatch',
  description:
    'How an article was found: by the words that were asked for, or, where none has them, by words like them (typos). ALL: nothing was asked for.',
});

/** A search result. */
@ObjectType({ description: 'An article that was found, with why.' })
export class KnowledgeHit {
  @Field(() => ID)
  articleId!: string;

  @Field(() => Float, { description: 'How well it fits, within this answer; the best comes first.' })
  rank!: number;

  @Field(() => String, {
    description: 'HTML: where the words stand, in <mark>; nothing else in it is markup, all else is escaped.',
  })
  headline!: string;

  @Field(() => KnowledgeMatch)
  match!: KnowledgeMatch;
}

/** The FAQ entries of one category. */
@ObjectType({ description: 'The questions of one category, in their order.' })
export class FaqSection {
  @Field(() => String)
  category!: string;

  @Field(() => [Article])
  questions!: Article[];
}
