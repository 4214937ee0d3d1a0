import { Allow, ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';
import { DeliveryStatus } from './delivery.entity.ts';

@InputType('WebhookDeliveryFilter', { description: 'Conditions for a list of deliveries. A delivery must meet all of them.' })
@Rule<DeliveryFilter, EventsContext>(({ event }, { eventTypes }) => eventTypes.problemsOf(event ?? [], 'event'))
export class DeliveryFilter {
  @Field(() => [DeliveryStatus], { nullable: true })
  status?: DeliveryStatus[];

  @Field(() => [String], { nullable: true, description: 'Event names and patterns, such as `ticket.created` or `ticket.*`. At most 50.' })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  event?: string[];

  @Field(() => Date, { nullable: true, description: 'Only deliveries created at this time or later.' })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created before this time.' })
  createdBefore?: Date;
}
