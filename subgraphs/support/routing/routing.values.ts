import { ArrayMaxSize, IsIn, IsOptional, Length, Matches, ValidateBy } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';
import { IsDuration } from './is-duration.ts';
import { wordsOf } from './keyword-matcher.ts';

export const MAX_KEYWORDS = 200;
const MAX_NOTIFIED = 20;
const KEYWORD_LENGTH = 100;

/**
 * Returns a regular expression for durations of at most 365 days. `minutes` is a regular expression for the allowed
 * numbers in a duration of minutes, such as 30 in `30_minutes`.
 */
const yearPattern = (minutes: string): string =>
  `^(${minutes}[ _]minutes?|[1-9][0-9]{0,2}[ _]hours?|([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-5])[ _]days?|([1-9]|[1-4][0-9]|5[0-2])[ _]weeks?|([1-9]|1[0-2])[ _]months?|1[ _]years?)$`;

const isKeyword = (value: unknown): boolean => typeof value === 'string' && value.length <= KEYWORD_LENGTH && wordsOf(value).length > 0;

const AreKeywords = (): PropertyDecorator =>
  ValidateBy(
    { name: 'areKeywords', validator: { validate: isKeyword } },
    {
      each: true,
      ...jsonSchema({ maxLength: KEYWORD_LENGTH, pattern: '[\\p{L}\\p{N}]' }),
      message: `must be words or phrases of at most ${KEYWORD_LENGTH} characters, each with a letter or digit`,
    },
  );

@ObjectType('RoutingConditions', {
  description: 'Conditions for tickets. A ticket must meet all of them. A condition that is null is not checked.',
})
@InputType('RoutingConditionsInput', {
  description: 'Conditions for tickets. A ticket must meet all of them. An omitted condition is not checked.',
})
export class RoutingConditions {
  @Field(() => String, { nullable: true, description: `Category of the ticket: ${CATEGORY_IDS.join(', ')}.` })
  @IsOptional()
  @IsIn(CATEGORY_IDS, { message: `must be one of ${CATEGORY_IDS.join(', ')}` })
  category?: string | null;

  @Field(() => [TicketPriority], { nullable: true, description: 'Priorities. The ticket must have one of them.' })
  @IsOptional()
  @ArrayMaxSize(Object.keys(TicketPriority).length, { message: 'must have each priority at most once' })
  priority?: TicketPriority[] | null;

  @Field(() => [String], {
    nullable: true,
    description: `Words or phrases. At least one of them must occur in the title or description, as whole words, ignoring case. At most ${MAX_KEYWORDS}, each with at most ${KEYWORD_LENGTH} characters.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_KEYWORDS, { message: `must have at most ${MAX_KEYWORDS} keywords` })
  @AreKeywords()
  keywords?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The `tier` of the account that the ticket belongs to. If there is no account or it has no tier, the plan of the organization is compared.',
  })
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9_-]{0,49}$/, { message: 'must have 1 to 50 lower-case letters, digits, underscores and hyphens' })
  customerTier?: string | null;
}

@ObjectType('RoutingActions', { description: 'Actions for tickets that match.' })
@InputType('RoutingActionsInput', { description: 'Actions for tickets that match. At least one action is required.' })
export class RoutingActions {
  @Field(() => ID, {
    nullable: true,
    description: 'Agent that gets the ticket (`agent_…`). If it is null, the category determines the assignment.',
  })
  @IsOptional()
  @Length(1, 100, { message: 'must be an agent id (agent_…)' })
  assignTo?: string | null;

  @Field(() => [String], { nullable: true, description: `E-mail addresses that are notified immediately, at most ${MAX_NOTIFIED}.` })
  @IsOptional()
  @ArrayMaxSize(MAX_NOTIFIED, { message: `must have at most ${MAX_NOTIFIED} addresses` })
  @EmailAddress('must be e-mail addresses', { each: true })
  notify?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Time after which an unresolved ticket is escalated by one level, counted from its creation or reopening, such as `30_minutes`.',
  })
  @IsOptional()
  @IsDuration('1 minute', '365 days', yearPattern('[1-9][0-9]{0,4}'))
  escalateAfter?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'How often the contact of the ticket gets an update until the ticket is resolved, such as `4_hours`. At least 5 minutes.',
  })
  @IsOptional()
  @IsDuration('5 minutes', '365 days', yearPattern('([5-9]|[1-9][0-9]{1,4})'))
  autoUpdateFrequency?: string | null;
}
