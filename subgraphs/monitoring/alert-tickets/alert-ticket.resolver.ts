import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { Alert } from '../alerts/alert.entity.ts';
import type { MonitoringContext } from '../context.ts';
import { Ticket } from '../references.ts';
import { AlertTicket } from './alert-ticket.entity.ts';

@Resolver(() => Alert)
export class AlertTicketsResolver {
  @FieldResolver(() => [AlertTicket], { description: 'Tickets that the alert has opened, newest first. Kept for 400 days.' })
  @ReadsFields('id')
  tickets(
    @Root() { id }: Pick<Alert, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<AlertTicket[]> {
    return loaders.alertTickets.newest('alertId', id, relationLimit(limit));
  }
}

@Resolver(() => AlertTicket)
export class AlertTicketResolver {
  @FieldResolver(() => Ticket, { nullable: true, description: 'Ticket that the alert opened.' })
  ticket(@Root() { ticketId }: AlertTicket): Ticket | null {
    return ticketId === null ? null : { id: ticketId };
  }
}

@Resolver(() => Ticket)
export class TicketAlertsResolver {
  @FieldResolver(() => [Alert], { description: 'Alerts that opened the ticket, newest first.' })
  @Requires('monitoring:read')
  alerts(
    @Root() { id }: Ticket,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<Alert[]> {
    const by = { child: AlertTicket, owner: 'alertId', property: 'ticketId' };
    return loaders.alerts.newest(by, id, relationLimit(limit));
  }
}
