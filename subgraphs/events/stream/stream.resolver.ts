import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { Delivery, DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { EventRecord } from '../log/event.entity.ts';
import type { DeliveryArguments, EventArguments } from './stream.service.ts';

interface SubscribeTo<A> {
  args: A;
  context: EventsContext;
}

@Resolver()
export class StreamResolver {
  @Subscription(() => EventRecord, {
    subscribe: ({ args, context }: SubscribeTo<EventArguments>) => context.stream.events(args),
    description:
      'Events as they happen, in order. `patterns`: names and wildcards such as `ticket.*` (default: all that the caller may read). `accountId`, `subjectId`: of this account, about this record only. `after`: the id of the last event that was seen; everything since then comes first, so that a reconnecting subscriber misses nothing and sees nothing twice.',
  })
  @Requires('webhooks:read')
  events(
    @Root() event: EventRecord,
    @Arg('patterns', () => [String], { nullable: true }) _patterns: string[] | undefined,
    @Arg('accountId', () => ID, { nullable: true }) _accountId: string | undefined,
    @Arg('subjectId', () => ID, { nullable: true }) _subjectId: string | undefined,
    @Arg('after', () => ID, { nullable: true }) _after: string | undefined,
  ): EventRecord {
    return event;
  }

  @Subscription(() => Delivery, {
    subscribe: ({ args, context }: SubscribeTo<DeliveryArguments>) => context.stream.deliveries(args),
    description:
      'What comes of deliveries to webhooks, as it happens. `webhookId`, `status`: to this webhook, with these outcomes only. `after`: the last `revision` that was seen; what changed since then comes first, each delivery once, as it is by then.',
  })
  @Requires('webhooks:read', { scope: 'organization' })
  deliveryUpdated(
    @Root() delivery: Delivery,
    @Arg('webhookId', () => ID, { nullable: true }) _webhookId: string | undefined,
    @Arg('status', () => [DeliveryStatus], { nullable: true }) _status: DeliveryStatus[] | undefined,
    @Arg('after', () => String, { nullable: true }) _after: string | undefined,
  ): Delivery {
    return delivery;
  }
}
