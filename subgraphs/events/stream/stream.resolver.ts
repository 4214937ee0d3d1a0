import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { EventRecord } from '../log/event.entity.ts';

interface SubscribeTo {
  args: { patterns?: string[] | null; after?: string | null };
  context: EventsContext;
}

@Resolver(() => EventRecord)
export class StreamResolver {
  @Subscription(() => EventRecord, {
    subscribe: ({ args, context }: SubscribeTo) => context.stream.subscribe(args.patterns, args.after),
    description:
      'Events as they happen, in order. `patterns`: names and wildcards such as `ticket.*` (default: all that the caller may read). `after`: the id of the last event that was seen; everything since then comes first, so that a reconnecting subscriber misses nothing and sees nothing twice.',
  })
  @Requires('webhooks:read')
  events(
    @Root() event: EventRecord,
    @Arg('patterns', () => [String], { nullable: true }) _patterns: string[] | undefined,
    @Arg('after', () => ID, { nullable: true }) _after: string | undefined,
  ): EventRecord {
    return event;
  }
}
