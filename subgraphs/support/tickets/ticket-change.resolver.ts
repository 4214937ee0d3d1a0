import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { SupportContext } from '../context.ts';
import { shownTo } from '../visibility.ts';
import { Ticket } from './ticket.entity.ts';
import { TicketChange } from './ticket-change.entity.ts';

const TicketChangePage = pageOf('TicketChange', TicketChange);

@ObjectType({ description: 'Caller that changed a ticket.' })
class TicketActor {
  @Field(() => String, { description: 'Kind of caller: `user`, `api_key`, `client`, `certificate`, or `system` for the platform itself.' })
  kind!: string;

  @Field(() => ID, { description: 'Id of the user or the credentials. For the platform, the name of the job.' })
  id!: string;
}

@Resolver(() => TicketChange)
export class TicketChangeResolver {
  @Query(() => TicketChangePage, {
    description:
      'List the changes of a ticket, newest first. Changes that only the support desk may see are included for callers with `support:write`.',
  })
  @Requires('support:read')
  ticketTimeline(
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { tickets }: SupportContext,
  ): Promise<Page<TicketChange>> {
    return tickets.timeline(ticketId, page ?? {});
  }

  @FieldResolver(() => TicketActor, { description: 'Caller that made the change.' })
  actor(@Root() { actorKind, actorId }: TicketChange): TicketActor {
    return { kind: actorKind, id: actorId };
  }
}

@Resolver(() => Ticket)
export class TicketTimelineResolver {
  @FieldResolver(() => [TicketChange], {
    description: 'Newest changes. Changes that only the support desk may see are included for callers with `support:write`.',
  })
  @ReadsFields('id')
  timeline(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders, principal }: SupportContext,
  ): Promise<TicketChange[]> {
    return loaders.changes.newest('ticketId', id, relationLimit(limit), shownTo(principal));
  }
}
