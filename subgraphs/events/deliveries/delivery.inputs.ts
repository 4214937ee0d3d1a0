import { Allow, ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';
import { DeliveryStatus } from './delivery.entity.ts';

@InputType('WebhookDeliveryFilter')
@Rule<DeliveryFilter, EventsContext>(({ event }, { eventTypes }) => eventTypes.problemsOf(event ?? [], 'event'))
export class DeliveryFilter {
  @Field(() => [DeliveryStatus], { nullable: true })
  status?: DeliveryStatus[];

  @Field(() => [String], { nullable: true, description: 'Names and patterns: `ticket.created`, `ticket.*`.' })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  event?: string[];

  @Field(() => Date, { nullable: true, description: 'Planned from this instant on.' })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true, description: 'Planned before this instant.' })
  createdBefore?: Date;
}
