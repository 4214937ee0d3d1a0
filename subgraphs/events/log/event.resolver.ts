import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Authenticated, Requires } from '../../../kernel/graphql/requires.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import type { EventsContext } from '../context.ts';
import { EventRecord } from './event.entity.ts';
import { EventFilter } from './event.inputs.ts';

const EventPage = pageOf('Event', EventRecord);

@Resolver(() => EventRecord)
export class EventResolver {
  @Query(() => EventRecord, {
    nullable: true,
    description: 'Get an event by id. Null if it does not exist or the caller may not read its record.',
  })
  @Authenticated()
  event(@Arg('id', () => ID) id: string, @Ctx() { events }: EventsContext): Promise<EventRecord | null> {
    return events.find(id);
  }

  @Query(() => EventPage, { description: 'List events, newest first. Only events whose records the caller may read are included.' })
  @Requires('webhooks:read')
  events(
    @Arg('filter', () => EventFilter, { nullable: true }) filter: EventFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { events }: EventsContext,
  ): Promise<Page<EventRecord>> {
    return events.list(filter ?? {}, page ?? {});
  }

  @Large(50_000)
  @FieldResolver(() => JsonObject, {
    description: 'Field `data` of the payload: the record under its type, and `changes` if the event reports a change.',
  })
  data(@Root() event: EventRecord): Record<string, unknown> {
    return dataOf(event);
  }

  @Large(50_000)
  @FieldResolver(() => JsonObject, {
    nullable: true,
    description: 'Old and new value of each changed field: the field `changes` of `data`. Null if the event reports no change.',
  })
  changes(@Root() event: EventRecord): unknown {
    return dataOf(event).changes ?? null;
  }
}

/** Cache of parsed payloads. All subscribers of an event receive the same record, so its payload is parsed once. */
const read = new WeakMap<EventRecord, Record<string, unknown>>();

function dataOf(event: EventRecord): Record<string, unknown> {
  let data = read.get(event);
  if (!data) {
    ({ data } = JSON.parse(event.payload) as { data: Record<string, unknown> });
    read.set(event, data);
  }
  return data;
}
