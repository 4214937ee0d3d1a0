import { parse } from 'graphql';
import { z } from 'zod';
import { type Plan, Principal } from '../../../kernel/access/principal.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import { claimOnce, record } from '../../../kernel/events/outbox.ts';
import { copyRequest, type RequestContext, requestOf } from '../../../kernel/request.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { TicketService } from '../tickets/ticket.service.ts';
import { ticketOpenedForAlert } from './alert-ticket.events.ts';

/** The fields of the internal event `alert.ticket_requested` that the desk uses. */
const requested = z.object({
  data: z.object({
    alert_ticket_id: z.string(),
    alert_id: z.string(),
    incident: z.object({ id: z.string() }).nullable(),
    ticket: z.object({
      title: z.string(),
      description: z.string(),
      priority: z.enum(TicketPriority),
      service_id: z.string().nullable(),
    }),
  }),
});
const NAME = 'support.alert-ticket-requested';

const OWNER = parse('query AlertTicketOwner { organization { plan } defaultAccount { customerId } }');

interface Owner {
  organization: { plan: string };
  defaultAccount: { customerId: string } | null;
}

export interface AlertTicketPorts extends Pick<Ports, 'graph' | 'log'> {
  ticketsOf(request: RequestContext): Pick<TicketService, 'createOnce'>;
}

/**
 * Returns the reaction that opens the ticket of an alert. The ticket belongs to the account of its service, or to the organization's own
 * account. The claim, the ticket and the event that reports it are one transaction, so a repeated event opens no second ticket.
 */
export const alertTicketRequested = ({ graph, log, ticketsOf }: AlertTicketPorts): Reaction => ({
  name: NAME,
  on: 'alert.ticket_requested',
  async handle({ id: eventId, organizationId, payload }) {
    const { alert_ticket_id: alertTicketId, alert_id: alertId, incident, ticket } = requested.parse(JSON.parse(payload)).data;
    const { service_id: serviceId, ...content } = ticket;
    const request = requestOf(NAME, organizationId, log);
    const { organization, defaultAccount } = await graph.query<Owner>(OWNER, {}, request);
    // the targets of the service level depend on the plan of the organization
    const principal = new Principal({ ...request.principal.toJSON(), plan: organization.plan.toLowerCase() as Plan });
    await ticketsOf(copyRequest(request, { principal })).createOnce(
      {
        ...content,
        ...(serviceId !== null && { serviceAffected: serviceId }),
        ...(serviceId === null && defaultAccount && { customerId: defaultAccount.customerId }),
        metadata: { alert_id: alertId, ...(incident && { incident_id: incident.id }) },
      },
      {
        claim: (tx) => claimOnce(tx, eventId, NAME),
        created: (tx, created) => record(tx, ticketOpenedForAlert(created, alertTicketId)),
      },
    );
  },
});
