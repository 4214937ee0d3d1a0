import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentService } from './agents/agent.service.ts';
import { commentAdded } from './comments/comment.events.ts';
import type { SupportContext } from './context.ts';
import { integrationDisabled } from './integrations/integration.events.ts';
import { IntegrationDelivery } from './integrations/integration-delivery.entity.ts';
import { Integrations } from './integrations/integrations.ts';
import { JiraIntegrationResolver, TicketIssuesResolver } from './integrations/jira/jira.resolver.ts';
import { JiraComment } from './integrations/jira/jira-comment.entity.ts';
import { JiraIntegration } from './integrations/jira/jira-integration.entity.ts';
import { JiraIssue } from './integrations/jira/jira-issue.entity.ts';
import { SlackIntegrationResolver } from './integrations/slack/slack.resolver.ts';
import { SlackIntegration } from './integrations/slack/slack-integration.entity.ts';
import { migrations } from './migrations/index.ts';
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
  entities: [Ticket, TicketChange, Agent, SlackIntegration, JiraIntegration, IntegrationDelivery, JiraIssue, JiraComment],
  migrations,
  events: [...ticketEvents, commentAdded, integrationDisabled.type],
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
    const integrations = new Integrations(
      ports,
      support.events.filter(({ family }) => family === 'support'),
      comments,
    );
    return {
      subgraph: createSubgraph(ports, integrations),
      reactions: [integrations.reaction],
      mount: (app) => integrations.mount(app),
      stop: () => integrations.stop(),
    };
  },
};

const comments = {
  add() {
    throw new Error('Comments are not here yet.');
  },
};

function createSubgraph(ports: SupportPorts, integrations: Integrations): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const jiraIssueReader = new RecordReader(ports, JiraIssue);
  const editor = new TicketEditor(clock);
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [
      TicketResolver,
      AccountTicketsResolver,
      ServiceTicketsResolver,
      SlackIntegrationResolver,
      JiraIntegrationResolver,
      TicketIssuesResolver,
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
        jiraIssues: jiraIssueReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      return {
        principal,
        clock,
        origin,
        loaders,
        ...integrations.forRequest(em, principal),
        tickets: new TicketService({ em, request, clock, graph, agents, editor, loader: loaders.tickets }),
      };
    },
  });
}
