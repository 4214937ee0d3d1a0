import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { keptFrom } from '../log/event.retention.ts';

@InputType({ description: 'Period and events to deliver again.' })
@Rule<WebhookReplayInput, EventsContext>(({ since, until }, { clock, retentionDays }) => {
  if (!since) return [];
  const now = clock.now();
  const first = keptFrom(now, retentionDays);
  if (since > now) return [{ field: 'since', value: since, reason: 'must not be in the future' }];
  return [
    ...(since < first
      ? [{ field: 'since', value: since, reason: `must not be before ${first.toISOString()}: the log keeps ${retentionDays} days` }]
      : []),
    ...((until ?? now) <= since ? [{ field: 'until', value: until, reason: 'must be after since' }] : []),
  ];
})
@Rule<WebhookReplayInput, EventsContext>(({ events }, { eventTypes }) => eventTypes.problemsOf(events ?? [], 'events'))
@Rule<WebhookReplayInput>(({ status }) =>
  (status ?? []).flatMap((value, index) =>
    value === DeliveryStatus.PENDING
      ? [{ field: `status.${index}`, value, reason: 'cannot be replayed: these deliveries are under way' }]
      : [],
  ),
)
export class WebhookReplayInput {
  @Field(() => Date, { description: 'Start of the period, inclusive. Not in the future, and not before the start of the event log.' })
  since!: Date;

  @Field(() => Date, { nullable: true, description: 'End of the period, exclusive. Default: now.' })
  until?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Event names and patterns to select some of the events of the webhook, such as `ticket.created` or `ticket.*`; 1 to 50. Default: all events of the webhook.',
  })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must name at least one event' })
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  events?: string[] | null;

  @Field(() => [DeliveryStatus], {
    nullable: true,
    description:
      'States of the deliveries to repeat. `SKIPPED` includes events without a delivery. `DELIVERED` sends successful deliveries again, under the same ids. `PENDING` is not allowed. Default: `SKIPPED` and `EXHAUSTED`.',
  })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must name at least one status' })
  status?: DeliveryStatus[] | null;
}
