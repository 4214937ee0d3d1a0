import { Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { EventTypeRecord } from './event-type.types.ts';

@Resolver(() => EventTypeRecord)
export class EventTypeResolver {
  @Query(() => [EventTypeRecord], { description: 'List all event types that a webhook can subscribe to, sorted by name.' })
  @Requires('webhooks:read', { scope: 'open' })
  webhookEvents(@Ctx() { eventTypeRecords }: EventsContext): readonly EventTypeRecord[] {
    return eventTypeRecords;
  }
}
