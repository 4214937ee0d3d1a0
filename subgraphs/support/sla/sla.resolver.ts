import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import type { SupportContext } from '../context.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { SlaEscalation, SlaStatus, TicketSla } from './sla.types.ts';
import { SLA_FIELDS, type SlaTicket } from './sla-clocks.ts';
import { type EscalationView, SlaView, slaStatusOf } from './sla-view.ts';

@Resolver(() => Ticket)
export class SlaResolver {
  @Query(() => SlaStatus, { nullable: true, description: 'The service level of a ticket on its own. Specification 2.7.' })
  @Requires('support:read', { scope: 'account' })
  async ticketSla(@Arg('id', () => ID) id: string, @Ctx() { loaders, clock }: SupportContext): Promise<SlaStatus | null> {
    const ticket = await loaders.tickets.load(id);
    return ticket && slaStatusOf(ticket, clock.now());
  }

  @FieldResolver(() => TicketSla)
  @ReadsFields(...SLA_FIELDS)
  sla(@Root() ticket: SlaTicket, @Ctx() { clock }: SupportContext): TicketSla {
    return new SlaView(ticket, clock.now());
  }
}

@Resolver(() => SlaEscalation)
export class SlaEscalationResolver {
  @FieldResolver(() => Date, {
    nullable: true,
    description:
      'When it gets the next level by itself: by its service level, unless it is resolved or waits for its customer, or by a routing rule, unless it is resolved.',
  })
  async nextEscalation(@Root() { ticket, nextStep }: EscalationView, @Ctx() { loaders }: SupportContext): Promise<Date | null> {
    if (ticket.escalationLevel === MAX_ESCALATION_LEVEL) return null;
    const routed = await loaders.routedEscalations.load(ticket.id);
    return nextStep && routed ? new Date(Math.min(nextStep.getTime(), routed.getTime())) : (nextStep ?? routed);
  }
}
