import { Arg, Ctx, createUnionType, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import type { EventsContext } from '../context.ts';
import { Account, Invoice, Service, Ticket } from '../references.ts';
import { EventRecord } from './event.entity.ts';
import { EventFilter } from './event.inputs.ts';

const EventPage = pageOf('Event', EventRecord);
const SUBJECTS = { Account, Invoice, Service, Ticket } as const;

const EventSubject = createUnionType({
  name: 'EventSubject',
  description: 'A record that events are about.',
  types: () => [Account, Invoice, Service, Ticket] as const,
});

@Resolver(() => EventRecord)
export class EventResolver {
  @Query(() => EventRecord, { nullable: true })
  @Requires('webhooks:read')
  event(@Arg('id', () => ID) id: string, @Ctx() { events }: EventsContext): Promise<EventRecord | null> {
    return events.find(id);
  }

  @Query(() => EventPage, { description: 'What happened, newest first: of the families whose records the caller may read.' })
  @Requires('webhooks:read')
  events(
    @Arg('filter', () => EventFilter, { nullable: true }) filter: EventFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { events }: EventsContext,
  ): Promise<Page<EventRecord>> {
    return events.list(filter ?? {}, page ?? {});
  }

  @FieldResolver(() => JsonObject, { description: 'The member `data` of the payload: the record under its type, and `changes`.' })
  data(@Root() { payload }: EventRecord): Record<string, unknown> {
    return (JSON.parse(payload) as { data: Record<string, unknown> }).data;
  }

  @FieldResolver(() => EventSubject, {
    nullable: true,
    description: 'The record as it is now; null for records that the graph does not have.',
  })
  subject(@Root() { subjectType, subjectId }: EventRecord): typeof EventSubject | null {
    const type = SUBJECTS[subjectType as keyof typeof SUBJECTS];
    return type ? Object.assign(new type(), { id: subjectId }) : null;
  }
}
