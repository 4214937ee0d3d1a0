import { Allow, ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';

@InputType()
@Rule<EventFilter, EventsContext>(({ event }, { eventTypes }) => eventTypes.problemsOf(event ?? [], 'event'))
export class EventFilter {
  @Field(() => [String], { nullable: true, description: 'Names and patterns: `ticket.created`, `ticket.*`, `billing.invoice.*`.' })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  event?: string[];

  @Field(() => [ID], { nullable: true, description: 'Ids of the records that the events are about.' })
  subjectId?: string[];

  @Field(() => [ID], { nullable: true, description: 'Ids of the accounts that the events concern.' })
  accountId?: string[];

  @Field(() => ID, { nullable: true, description: 'The id of an event: only those that were logged after it.' })
  after?: string;

  @Field(() => Date, { nullable: true })
  occurredAfter?: Date;

  @Field(() => Date, { nullable: true })
  occurredBefore?: Date;
}
