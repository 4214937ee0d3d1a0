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
  @Query(() => SlaStatus, { nullable: true, description: 'Get the service level of a ticket. Null if the ticket does not exist.' })
  @Requires('support:read', { scope: 'account' })
  async ticketSla(
    @Arg('id', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) id: string,
    @Ctx() { loaders, clock }: SupportContext,
  ): Promise<SlaStatus | null> {
    const ticket = await loaders.tickets.load(id);
    return ticket && slaStatusOf(ticket, clock.now());
  }

  @FieldResolver(() => TicketSla, { description: 'Service level of the ticket: targets, due times and results.' })
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
      'Time at which its service level or a routing rule escalates the ticket automatically, unless the ticket is resolved before. The service level does not escalate while the ticket waits for its customer. Null if nothing is scheduled.',
  })
  async nextEscalation(@Root() { ticket, nextStep }: EscalationView, @Ctx() { loaders }: SupportContext): Promise<Date | null> {
    if (ticket.escalationLevel === MAX_ESCALATION_LEVEL) return null;
    const routed = await loaders.routedEscalations.load(ticket.id);
    return nextStep && routed ? new Date(Math.min(nextStep.getTime(), routed.getTime())) : (nextStep ?? routed);
  }
}
