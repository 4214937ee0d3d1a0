import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentService } from './agents/agent.service.ts';
import { commentAdded } from './comments/comment.events.ts';
import type { SupportContext } from './context.ts';
import { migrations } from './migrations/index.ts';
import { Notification } from './notifications/notification.entity.ts';
import { NotificationResolver, TicketNotificationsResolver } from './notifications/notification.resolver.ts';
import { NotificationService } from './notifications/notification.service.ts';
import { NotificationRecipient } from './notifications/notification-recipient.entity.ts';
import { Notifier } from './notifications/notifier.ts';
import type { SupportPorts } from './ports.ts';
import { Account, Service } from './references.ts';
import { TicketEditor } from './tickets/ticket.editor.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { ticketEvents } from './tickets/ticket.events.ts';
import { AccountTicketsResolver, ServiceTicketsResolver, TicketResolver } from './tickets/ticket.resolver.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';

/** Support: tickets (specification 4.7). */
export const support: Domain<SupportPorts> = {
  name: 'support',
  entities: [Ticket, TicketChange, Agent, Notification, NotificationRecipient],
  migrations,
  events: [...ticketEvents, commentAdded],
  live: [
    {
      field: 'ticketUpdated',
      subject: 'Ticket',
      member: 'ticket',
      events: ['ticket.*', 'comment.added', 'sla.breach'],
      requires: 'support:read',
      description: 'What happens to tickets.',
    },
  ],
  start: (ports) => ({ subgraph: createSubgraph(ports) }),
};

function createSubgraph(ports: SupportPorts): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const notificationReader = new RecordReader(ports, Notification);
  const recipientReader = new RecordReader(ports, NotificationRecipient);
  const editor = new TicketEditor(clock);
  const notifier = new Notifier(ports);
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [TicketResolver, AccountTicketsResolver, ServiceTicketsResolver, NotificationResolver, TicketNotificationsResolver],
    orphanedTypes: [Account, Service],
    references: {
      Ticket: { requires: 'support:read', load: ({ id = '' }, { loaders }) => loaders.tickets.load(id) },
    },
    createContext(request) {
      const { principal } = request;
      const em = organizationEm(orm, principal.organizationId);
      const loaders = {
        tickets: ticketReader.forOrganization(principal.organizationId),
        agents: agentReader.forOrganization(principal.organizationId),
        notifications: notificationReader.forOrganization(principal.organizationId),
        notificationRecipients: recipientReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      return {
        principal,
        clock,
        origin,
        loaders,
        tickets: new TicketService({ em, request, clock, graph, agents, editor, loader: loaders.tickets }),
        notifications: new NotificationService({ em, request, clock, notifier, tickets: loaders.tickets }),
      };
    },
  });
}
