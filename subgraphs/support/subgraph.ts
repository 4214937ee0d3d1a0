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
import { followWithAutomations } from './routing/automation.following.ts';
import { AutomationSweeper } from './routing/automation.sweeper.ts';
import { RoutingRule } from './routing/routing-rule.entity.ts';
import { RoutingRuleResolver, TicketRoutingResolver } from './routing/routing-rule.resolver.ts';
import { RoutingRuleService } from './routing/routing-rule.service.ts';
import { TicketRouter } from './routing/ticket.router.ts';
import { TicketAutomation } from './routing/ticket-automation.entity.ts';
import { TicketEditor } from './tickets/ticket.editor.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { ticketEvents } from './tickets/ticket.events.ts';
import { AccountTicketsResolver, ServiceTicketsResolver, TicketResolver } from './tickets/ticket.resolver.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';

/** Support: tickets (specification 4.7). */
export const support: Domain<SupportPorts> = {
  name: 'support',
  entities: [Ticket, TicketChange, Agent, Notification, NotificationRecipient, RoutingRule, TicketAutomation],
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
  start(ports) {
    const editor = new TicketEditor(ports.clock, [followWithAutomations]);
    const notifier = new Notifier(ports);
    const automations = new AutomationSweeper({ ...ports, editor, notifier });
    return {
      subgraph: createSubgraph(ports, editor, notifier),
      start: async () => automations.start(),
      stop: () => automations.stop(),
    };
  },
};

function createSubgraph(ports: SupportPorts, editor: TicketEditor, notifier: Notifier): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const notificationReader = new RecordReader(ports, Notification);
  const recipientReader = new RecordReader(ports, NotificationRecipient);
  const ruleReader = new RecordReader(ports, RoutingRule);
  const router = new TicketRouter(notifier, clock);
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [
      TicketResolver,
      AccountTicketsResolver,
      ServiceTicketsResolver,
      NotificationResolver,
      TicketNotificationsResolver,
      RoutingRuleResolver,
      TicketRoutingResolver,
    ],
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
        routingRules: ruleReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      return {
        principal,
        clock,
        origin,
        loaders,
        tickets: new TicketService({ em, request, clock, graph, agents, editor, router, loader: loaders.tickets }),
        notifications: new NotificationService({ em, request, clock, notifier, tickets: loaders.tickets }),
        routingRules: new RoutingRuleService({ em, request, clock, loader: loaders.routingRules }),
      };
    },
  });
}
