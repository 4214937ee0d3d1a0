import { IsOptional, Matches, Max, Min } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { RATING_MAX, RATING_MIN } from './feedback.entity.ts';

const RATING_RULE = { message: `must be between ${RATING_MIN} and ${RATING_MAX}` };

@InputType({ description: 'Rating of a ticket, of an article, or of the platform if neither is named.' })
@Rule<FeedbackInput>(({ ticketId, articleId }) =>
  ticketId && articleId ? [{ field: 'articleId', value: articleId, reason: 'cannot be combined with ticketId' }] : [],
)
export class FeedbackInput {
  @Field(() => Int, { description: `Satisfaction from ${RATING_MIN} (not at all) to ${RATING_MAX} (very).` })
  @Min(RATING_MIN, RATING_RULE)
  @Max(RATING_MAX, RATING_RULE)
  rating!: number;

  @Field(() => String, { nullable: true, description: 'Remarks, 1 to 5000 characters.' })
  @IsOptional()
  @Characters(1, 5000)
  comment?: string;

  @Field(() => ID, { nullable: true, description: 'Ticket to rate (`ticket_…`). It must be resolved.' })
  @IsOptional()
  @Matches(/^ticket_\w+$/, { message: 'must be a ticket id (ticket_…)' })
  ticketId?: string;

  @Field(() => ID, { nullable: true, description: 'Article to rate (`art_…`).' })
  @IsOptional()
  @Matches(/^art_\w+$/, { message: 'must be an article id (art_…)' })
  articleId?: string;
}

@InputType({ description: 'Conditions for a list of ratings. A rating must meet all of them.' })
export class FeedbackFilter {
  @Field(() => [ID], { nullable: true })
  ticketId?: string[];

  @Field(() => [ID], { nullable: true })
  articleId?: string[];

  @Field(() => [Int], { nullable: true, description: 'Only ratings with one of these values, 1 to 5.' })
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
export const FeedbackSort = sortOf('Feedback', FeedbackSortField, { RATING: 'Satisfaction from 1 to 5.' });
