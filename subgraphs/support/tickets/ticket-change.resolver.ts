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

@ObjectType({ description: 'Who did something.' })
class TicketActor {
  @Field(() => String, { description: '`user`, `api_key`, `client`, `certificate`, or `system` for the platform itself.' })
  kind!: string;

  @Field(() => ID, { description: 'Of the user or the credentials; of the platform the name of what it does.' })
  id!: string;
}

@Resolver(() => TicketChange)
export class TicketChangeResolver {
  @Query(() => TicketChangePage, {
    description: 'Every change of a ticket, newest first; what only the desk sees for holders of `support:write`.',
  })
  @Requires('support:read')
  ticketTimeline(
    @Arg('ticketId', () => ID) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { tickets }: SupportContext,
  ): Promise<Page<TicketChange>> {
    return tickets.timeline(ticketId, page ?? {});
  }

  @FieldResolver(() => TicketActor)
  actor(@Root() { actorKind, actorId }: TicketChange): TicketActor {
    return { kind: actorKind, id: actorId };
  }
}

@Resolver(() => Ticket)
export class TicketTimelineResolver {
  @FieldResolver(() => [TicketChange], { description: 'Its newest changes; what only the desk sees for holders of `support:write`.' })
  @ReadsFields('id')
  timeline(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders, principal }: SupportContext,
  ): Promise<TicketChange[]> {
    return loaders.changes.newest('ticketId', id, relationLimit(limit), shownTo(principal));
  }
}
