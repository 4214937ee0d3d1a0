import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { EVENT_PATTERNS } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { EventsContext } from '../context.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { keptFrom } from '../log/event.retention.ts';

@InputType()
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
  @Field(() => Date, { description: 'What happened from this instant on; not in the future, and not before what the log keeps.' })
  since!: Date;

  @Field(() => Date, { nullable: true, description: 'What happened before this instant. Default: now.' })
  until?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Names and patterns that narrow those of the webhook: `ticket.created`, `ticket.*`. Default: all of the webhook.',
  })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must name at least one event' })
  @ArrayMaxSize(50, { message: 'may have at most 50 patterns' })
  @Allow(EVENT_PATTERNS)
  events?: string[] | null;

  @Field(() => [DeliveryStatus], {
    nullable: true,
    description:
      'Which deliveries begin anew. `SKIPPED`: also events without a delivery, since the webhook did not exist or was inactive. `EXHAUSTED`: given up. `FAILED`: waiting for a retry. `DELIVERED`: all over again, under the same ids. Default: `SKIPPED` and `EXHAUSTED`. What is `PENDING` is under way and left alone.',
  })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must name at least one status' })
  status?: DeliveryStatus[] | null;
}
