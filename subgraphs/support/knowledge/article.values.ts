import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Article } from './article.entity.ts';

/** Summary of the ratings that readers of the caller's organization gave an article. */
@ObjectType({ description: 'Ratings of an article by readers of your organization. The latest rating of each reader counts.' })
export class ArticleHelpfulness {
  @Field(() => Int, { description: 'Number of ratings.' })
  ratings!: number;

  @Field(() => Int, { description: 'Number of ratings of 4 or 5.' })
  helpful!: number;

  @Field(() => Int, { description: 'Number of ratings of 1 or 2.' })
  unhelpful!: number;

  @Field(() => Float, { nullable: true, description: 'Average rating from 1 to 5, with two decimal places. Null without ratings.' })
  averageRating!: number | null;
}

export const NO_RATINGS: ArticleHelpfulness = { ratings: 0, helpful: 0, unhelpful: 0, averageRating: null };

export enum KnowledgeMatch {
  /** The query has no search words, so all articles match. */
  ALL = 'all',
  WORDS = 'words',
  SIMILAR = 'similar',
}
registerEnumType(KnowledgeMatch, {
  name: 'KnowledgeMatch',
  description: 'How an article was found.',
  valuesConfig: {
    ALL: { description: 'No search words were given.' },
    WORDS: { description: 'The article contains the search words.' },
    SIMILAR: { description: 'No article contains the search words. This article contains similar words.' },
  },
});

/** An article that a search found. */
@ObjectType({ description: 'A search result: an article with an excerpt.' })
export class KnowledgeHit {
  @Field(() => ID, { description: 'Id of the article (`art_…`).' })
  articleId!: string;

  @Field(() => Float, { description: 'How well the article matches, to compare results of this response.' })
  rank!: number;

  @Field(() => String, { description: 'Excerpt as HTML with the found words in <mark>. All other characters are escaped.' })
  headline!: string;

  @Field(() => KnowledgeMatch, { description: 'How the article was found.' })
  match!: KnowledgeMatch;
}

/** The FAQ entries of one category. */
@ObjectType({ description: 'Questions of one category.' })
export class FaqSection {
  @Field(() => String, { description: 'Id of the category, such as `connectivity`.' })
  category!: string;

  @Field(() => [Article], { description: 'Published questions, ordered by position.' })
  questions!: Article[];
}
