import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentService } from './agents/agent.service.ts';
import { DashboardResolver } from './analytics/dashboard.resolver.ts';
import { DashboardService } from './analytics/dashboard.service.ts';
import { Figures } from './analytics/figures.ts';
import { Attachment } from './attachments/attachment.entity.ts';
import { mountAttachments } from './attachments/attachment.http.ts';
import { AttachmentResolver, TicketAttachmentsResolver } from './attachments/attachment.resolver.ts';
import { AttachmentStore } from './attachments/attachment.store.ts';
import { AttachmentUpload } from './attachments/attachment-upload.entity.ts';
import { CommentAuthors } from './comments/comment.authors.ts';
import { Comment } from './comments/comment.entity.ts';
import { commentEvents } from './comments/comment.events.ts';
import { CommentResolver, TicketCommentsResolver } from './comments/comment.resolver.ts';
import { CommentService } from './comments/comment.service.ts';
import { CommentWriter } from './comments/comment.writer.ts';
import type { SupportContext } from './context.ts';
import { Feedback } from './feedback/feedback.entity.ts';
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
import { isDesk } from './visibility.ts';

export interface RunningSupport extends RunningDomain {
  /** Also deletes files that nobody took, by itself once it was started. */
  attachments: AttachmentStore;
}

/** Support: tickets (specification 4.7). */
export const support: Domain<SupportPorts, RunningSupport> = {
  name: 'support',
  entities: [Ticket, TicketChange, Agent, Attachment, AttachmentUpload, Comment, Feedback, Report],
  migrations,
  events: [...ticketEvents, ...commentEvents],
  live: [
    {
      field: 'ticketUpdated',
      subject: 'Ticket',
      member: 'ticket',
      events: ['ticket.*', 'comment.added', 'sla.breach', 'ticket.note_added'],
      requires: 'support:read',
      description: 'What happens to tickets.',
    },
  ],
  start(ports) {
    const tally = new TicketTally(ports.rows, ports.log);
    const links = new ReportLinks(ports.secretKey, ports.origin);
    new ReportWorker({ ...ports, links });
    const attachments = new AttachmentStore(ports);
    const attachmentReader = new RecordReader(ports, Attachment);
    return {
      subgraph: createSubgraph(ports, { attachments, attachmentReader, tally, links }),
      attachments,
      async mount(app) {
        await mountAttachments(app, attachmentReader, ports.files);
        await mountReportDownloads(app, { ...ports, links });
      },
      async start() {
        attachments.start();
        tally.start();
      },
      async stop() {
        await Promise.all([attachments.stop(), tally.stop()]);
      },
    };
  },
};

/** One of each for the whole process. */
interface Parts {
  tally: TicketTally;
  links: ReportLinks;
  attachments: AttachmentStore;
  attachmentReader: RecordReader<Attachment>;
}

function createSubgraph(ports: SupportPorts, { attachments, attachmentReader, tally, links }: Parts): Subgraph {
  const { orm, rows, jobs, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const commentReader = new RecordReader(ports, Comment);
  const editor = new TicketEditor(clock);
  const writer = new CommentWriter({ editor, attachments, origin });
  return buildSubgraph<SupportContext>({
    name: 'support',
    resolvers: [
      TicketResolver,
      AccountTicketsResolver,
      ServiceTicketsResolver,
      AttachmentResolver,
      TicketAttachmentsResolver,
      CommentResolver,
      TicketCommentsResolver,
      DashboardResolver,
      ReportResolver,
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
        attachments: attachmentReader.forOrganization(principal.organizationId),
        comments: commentReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      const reader = { organizationId: principal.organizationId, isDesk: isDesk(principal) };
      const search = new TicketSearch(rows, tally, reader, loaders.tickets);
      const authors = new CommentAuthors({ em, graph, request });
      return {
        principal,
        clock,
        origin,
        loaders,
        dashboard: new DashboardService(rows, new Figures(rows, principal.organizationId), clock),
        reports: new ReportService({ em, rows, organizationId: principal.organizationId, clock, jobs }),
        reportLinks: links,
        tickets: new TicketService({
          em,
          request,
          clock,
          graph,
          agents,
          editor,
          attachments,
          authors,
          comments: writer,
          search,
          loader: loaders.tickets,
        }),
        comments: new CommentService({ em, principal, authors, attachments, writer, tickets: loaders.tickets, loader: loaders.comments }),
      };
    },
  });
}
