import type { Domain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentService } from './agents/agent.service.ts';
import { DashboardResolver } from './analytics/dashboard.resolver.ts';
import { DashboardService } from './analytics/dashboard.service.ts';
import { Figures } from './analytics/figures.ts';
import { commentAdded } from './comments/comment.events.ts';
import type { SupportContext } from './context.ts';
import { Feedback } from './feedback/feedback.entity.ts';
import { FeedbackResolver, TicketFeedbackResolver } from './feedback/feedback.resolver.ts';
import { Article } from './knowledge/article.entity.ts';
import { ArticleResolver, KnowledgeHitResolver } from './knowledge/article.resolver.ts';
import { knowledgeOf } from './knowledge/knowledge.context.ts';
import { refreshLibrary } from './knowledge/library.ts';
import { migrations } from './migrations/index.ts';
import type { SupportPorts } from './ports.ts';
import { Account, Service } from './references.ts';
import { Report } from './reports/report.entity.ts';
import { mountReportDownloads } from './reports/report.http.ts';
import { ReportWorker } from './reports/report.job.ts';
import { ReportLinks } from './reports/report.links.ts';
import { ReportResolver } from './reports/report.resolver.ts';
import { ReportService } from './reports/report.service.ts';
import { TicketSearch } from './ticket-search/ticket.search.ts';
import { TicketTally } from './ticket-search/ticket.tally.ts';
import { TicketEditor } from './tickets/ticket.editor.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { ticketEvents } from './tickets/ticket.events.ts';
import { AccountTicketsResolver, ServiceTicketsResolver, TicketResolver } from './tickets/ticket.resolver.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';

/** Support: tickets, the knowledge base, feedback (specification 4.7). */
export const support: Domain<SupportPorts> = {
  name: 'support',
  entities: [Ticket, TicketChange, Agent, Feedback, Report, Article],
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
    const tally = new TicketTally(ports.rows, ports.log);
    const links = new ReportLinks(ports.secretKey, ports.origin);
    new ReportWorker({ ...ports, links });
    return {
      subgraph: createSubgraph(ports, { tally, links }),
      mount: (app) => mountReportDownloads(app, { ...ports, links }),
      async start() {
        tally.start();
        await refreshLibrary(ports);
      },
      stop: () => tally.stop(),
    };
  },
};

/** One of each for the whole process. */
interface Parts {
  tally: TicketTally;
  links: ReportLinks;
}

const KNOWLEDGE = [ArticleResolver, KnowledgeHitResolver, FeedbackResolver, TicketFeedbackResolver];

function createSubgraph(ports: SupportPorts, { tally, links }: Parts): Subgraph {
  const { orm, rows, jobs, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const editor = new TicketEditor(clock);
  const knowledge = knowledgeOf(ports);
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [TicketResolver, AccountTicketsResolver, ServiceTicketsResolver, DashboardResolver, ReportResolver, ...KNOWLEDGE],
    orphanedTypes: [Account, Service],
    references: {
      Ticket: { requires: 'support:read', load: ({ id = '' }, { loaders }) => loaders.tickets.load(id) },
    },
    createContext(request) {
      const { principal } = request;
      const em = organizationEm(orm, principal.organizationId);
      const { loaders: knowledgeLoaders, ...known } = knowledge(em, principal);
      const loaders = {
        ...knowledgeLoaders,
        tickets: ticketReader.forOrganization(principal.organizationId),
        agents: agentReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      const reader = { organizationId: principal.organizationId, isDesk: principal.may('support:write') };
      const search = new TicketSearch(rows, tally, reader, loaders.tickets);
      return {
        principal,
        clock,
        origin,
        loaders,
        ...known,
        dashboard: new DashboardService(rows, new Figures(rows, principal.organizationId), clock),
        reports: new ReportService({ em, organizationId: principal.organizationId, clock, jobs }),
        reportLinks: links,
        tickets: new TicketService({ em, request, clock, graph, agents, editor, search, loader: loaders.tickets }),
      };
    },
  });
}
