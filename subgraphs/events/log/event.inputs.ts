import { Allow, ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';

@InputType({ description: 'Conditions for a list of events. An event must meet all of them.' })
@Rule<EventFilter, EventsContext>(({ event }, { eventTypes }) => eventTypes.problemsOf(event ?? [], 'event'))
export class EventFilter {
  @Field(() => [String], {
    nullable: true,
    description: 'Event names and patterns, such as `ticket.created`, `ticket.*` or `billing.invoice.*`. At most 50.',
  })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  event?: string[];

  @Field(() => [ID], { nullable: true, description: 'Only events about these records, by id.' })
  subjectId?: string[];

  @Field(() => [ID], { nullable: true, description: 'Only events that concern these accounts, by id (`acc_…`).' })
  accountId?: string[];

  @Field(() => ID, { nullable: true, description: 'Only events logged after the event with this id (`evt_…`).' })
  after?: string;

  @Field(() => Date, { nullable: true, description: 'Only events that happened at this time or later.' })
  occurredAfter?: Date;

  @Field(() => Date, { nullable: true, description: 'Only events that happened before this time.' })
  occurredBefore?: Date;
}
