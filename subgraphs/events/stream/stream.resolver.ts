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
    description: 'Follow events as they happen, in order.',
  })
  @Requires('webhooks:read')
  events(
    @Root() event: EventRecord,
    @Arg('patterns', () => [String], {
      nullable: true,
      description: 'Event names and patterns, such as `ticket.created` or `ticket.*`. Default: all events that the caller may read.',
    })
    _patterns: string[] | undefined,
    @Arg('accountId', () => ID, { nullable: true, description: 'Only events that concern this account (`acc_…`).' }) _accountId:
      | string
      | undefined,
    @Arg('subjectId', () => ID, { nullable: true, description: 'Only events about the record with this id.' }) _subjectId:
      | string
      | undefined,
    @Arg('after', () => ID, {
      nullable: true,
      description:
        'Id of the last event that the client received (`evt_…`). Later events come first, so that a client that reconnects misses no event.',
    })
    _after: string | undefined,
  ): EventRecord {
    return event;
  }

  @Subscription(() => Delivery, {
    subscribe: ({ args, context }: SubscribeTo<DeliveryArguments>) => context.stream.deliveries(args),
    description: 'Follow the results of deliveries to webhooks as they happen.',
  })
  @Requires('webhooks:read', { scope: 'organization' })
  deliveryUpdated(
    @Root() delivery: Delivery,
    @Arg('webhookId', () => ID, { nullable: true, description: 'Only deliveries to this webhook (`wh_…`).' }) _webhookId:
      | string
      | undefined,
    @Arg('status', () => [DeliveryStatus], { nullable: true, description: 'Only deliveries with one of these results.' }) _status:
      | DeliveryStatus[]
      | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description:
        'Last `revision` that the client received. Deliveries that changed after this revision come first. Each of them is sent once, in its current state.',
    })
    _after: string | undefined,
  ): Delivery {
    return delivery;
  }
}
