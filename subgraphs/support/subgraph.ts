import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { AgentAssignment } from './agents/agent.assignment.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentResolver } from './agents/agent.resolver.ts';
import { AgentService } from './agents/agent.service.ts';
import { CategoryChange } from './categories/category.entity.ts';
import { CategoryResolver } from './categories/category.resolver.ts';
import { CategoryService } from './categories/category.service.ts';
import { commentAdded } from './comments/comment.events.ts';
import type { SupportContext } from './context.ts';
import { Escalation } from './escalations/escalation.entity.ts';
import { EscalationMails } from './escalations/escalation.mails.ts';
import { EscalationRecorder } from './escalations/escalation.recorder.ts';
import { EscalationResolver } from './escalations/escalation.resolver.ts';
import { EscalationService } from './escalations/escalation.service.ts';
import { migrations } from './migrations/index.ts';
import type { SupportPorts } from './ports.ts';
import { Account, Service } from './references.ts';
import { SlaKeeper } from './sla/sla.keeper.ts';
import { SlaResolver } from './sla/sla.resolver.ts';
import { SlaSweeper } from './sla/sla.sweeper.ts';
import { SlaMilestone } from './sla/sla-milestone.entity.ts';
import { SlaPolicy } from './sla/sla-policy.entity.ts';
import { SlaPolicyResolver } from './sla/sla-policy.resolver.ts';
import { SlaPolicyService } from './sla/sla-policy.service.ts';
import { TicketEditor } from './tickets/ticket.editor.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { ticketEvents } from './tickets/ticket.events.ts';
import { AccountTicketsResolver, ServiceTicketsResolver, TicketResolver } from './tickets/ticket.resolver.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';

/** Support: tickets (specification 4.7). */
export const support: Domain<SupportPorts> = {
  name: 'support',
  entities: [Ticket, TicketChange, Agent, CategoryChange, SlaPolicy, SlaMilestone, Escalation],
  migrations,
  events: [...ticketEvents, commentAdded],
  live: [
    {
      field: 'ticketUpdated',
      subject: 'Ticket',
      member: 'ticket',
      events: ['ticket.*', 'comment.added', 'sla.*'],
      requires: 'support:read',
      description: 'What happens to tickets.',
    },
  ],
  start(ports) {
    const { orm, rows, clock, log, jobs, mailer, origin } = ports;
    const escalations = new EscalationRecorder(new EscalationMails({ orm, jobs, mailer, origin }));
    const editor = new TicketEditor(clock, new SlaKeeper(), escalations);
    const sweeper = new SlaSweeper({ orm, rows, clock, log, editor });
    return {
      subgraph: createSubgraph(ports, editor),
      start: async () => sweeper.start(),
      stop: () => sweeper.stop(),
    };
  },
};

function createSubgraph(ports: SupportPorts, editor: TicketEditor): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const escalationReader = new RecordReader(ports, Escalation);
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [
      TicketResolver,
      AccountTicketsResolver,
      ServiceTicketsResolver,
      SlaResolver,
      SlaPolicyResolver,
      CategoryResolver,
      EscalationResolver,
      AgentResolver,
    ],
    orphanedTypes: [Account, Service],
    references: {
      Ticket: { requires: 'support:read', load: ({ id = '' }, { loaders }) => loaders.tickets.load(id) },
    },
    createContext(request) {
      const { principal } = request;
      const { organizationId } = principal;
      const em = organizationEm(orm, organizationId);
      const loaders = { tickets: ticketReader.forOrganization(organizationId), agents: agentReader.forOrganization(organizationId) };
      const assignment = new AgentAssignment(organizationId);
      return {
        principal,
        clock,
        origin,
        loaders,
        tickets: new TicketService({ em, request, clock, graph, assignment, editor, loader: loaders.tickets }),
        agents: new AgentService({ em, organizationId, clock, assignment, loader: loaders.agents }),
        categories: new CategoryService({ em, organizationId, clock }),
        slaPolicies: new SlaPolicyService({ em, organizationId, clock }),
        escalations: new EscalationService({ em, principal, editor, loader: escalationReader.forOrganization(organizationId) }),
      };
    },
  });
}
