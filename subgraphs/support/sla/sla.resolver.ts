import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { SlaStatus, TicketSla } from './sla.types.ts';
import { slaOf, slaStatusOf } from './sla.view.ts';

@Resolver(() => Ticket)
export class SlaResolver {
  @Query(() => SlaStatus, { nullable: true, description: 'The service level of a ticket on its own. Specification 2.7.' })
  @Requires('support:read')
  async ticketSla(@Arg('id', () => ID) id: string, @Ctx() { tickets, clock }: SupportContext): Promise<SlaStatus | null> {
    const ticket = await tickets.find(id);
    return ticket && slaStatusOf(ticket, clock.now());
  }

  @FieldResolver(() => TicketSla)
  sla(@Root() ticket: Ticket, @Ctx() { clock }: SupportContext): TicketSla {
    return slaOf(ticket, clock.now());
  }
}
