import { IsOptional, Matches, Max, Min } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { RATING_MAX, RATING_MIN } from './feedback.entity.ts';

const RATING_RULE = { message: `must be between ${RATING_MIN} and ${RATING_MAX}` };

@InputType({ description: 'About a ticket, about an article, or about the platform as a whole.' })
@Rule<FeedbackInput>(({ ticketId, articleId }) =>
  ticketId && articleId ? [{ field: 'articleId', value: articleId, reason: 'cannot be combined with ticketId' }] : [],
)
export class FeedbackInput {
  @Field(() => Int, { description: `From ${RATING_MIN}, not at all, to ${RATING_MAX}, very.` })
  @Min(RATING_MIN, RATING_RULE)
  @Max(RATING_MAX, RATING_RULE)
  rating!: number;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Characters(1, 5000)
  comment?: string;

  @Field(() => ID, { nullable: true, description: 'A ticket that is resolved.' })
  @IsOptional()
  @Matches(/^ticket_\w+$/, { message: 'must be a ticket id (ticket_…)' })
  ticketId?: string;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @Matches(/^art_\w+$/, { message: 'must be an article id (art_…)' })
  articleId?: string;
}

@InputType()
export class FeedbackFilter {
  @Field(() => [ID], { nullable: true })
  ticketId?: string[];

  @Field(() => [ID], { nullable: true })
  articleId?: string[];

  @Field(() => [Int], { nullable: true })
  rating?: number[];

  @Field(() => Date, { nullable: true })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date;
}

export enum FeedbackSortField {
  CREATED_AT = 'createdAt',
  RATING = 'rating',
}
export const FeedbackSort = sortOf('Feedback', FeedbackSortField);
