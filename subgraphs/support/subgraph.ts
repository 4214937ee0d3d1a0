import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Agent } from './agents/agent.entity.ts';
import { AgentService } from './agents/agent.service.ts';
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

export interface RunningSupport extends RunningDomain {
  /** Also deletes files that nobody took, by itself once it was started. */
  attachments: AttachmentStore;
}

/** Support: tickets (specification 4.7). */
export const support: Domain<SupportPorts, RunningSupport> = {
  name: 'support',
  entities: [
    Ticket,
    TicketChange,
    Agent,
    Attachment,
    AttachmentUpload,
    Comment,
    SlackIntegration,
    JiraIntegration,
    IntegrationDelivery,
    JiraIssue,
    JiraComment,
  ],
  migrations,
  events: [...ticketEvents, ...commentEvents, integrationDisabled.type],
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
    const attachments = new AttachmentStore(ports);
    const attachmentReader = new RecordReader(ports, Attachment);
    const editor = new TicketEditor(ports.clock);
    const writer = new CommentWriter({ editor, attachments, origin: ports.origin });
    const told = support.events.filter(({ family }) => family === 'support');
    const integrations = new Integrations(ports, told, writer);
    return {
      subgraph: createSubgraph(ports, { attachments, attachmentReader, editor, writer, integrations }),
      attachments,
      reactions: [integrations.reaction],
      async mount(app) {
        await mountAttachments(app, attachmentReader, ports.files);
        await integrations.mount(app);
      },
      start: async () => attachments.start(),
      async stop() {
        await integrations.stop();
        await attachments.stop();
      },
    };
  },
};

/** One of each for the whole process. */
interface Parts {
  attachments: AttachmentStore;
  attachmentReader: RecordReader<Attachment>;
  editor: TicketEditor;
  writer: CommentWriter;
  integrations: Integrations;
}

function createSubgraph(ports: SupportPorts, { attachments, attachmentReader, editor, writer, integrations }: Parts): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const commentReader = new RecordReader(ports, Comment);
  const jiraIssueReader = new RecordReader(ports, JiraIssue);
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
        attachments: attachmentReader.forOrganization(principal.organizationId),
        comments: commentReader.forOrganization(principal.organizationId),
        jiraIssues: jiraIssueReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      const authors = new CommentAuthors({ em, graph, request });
      return {
        principal,
        clock,
        origin,
        loaders,
        ...integrations.forRequest(em, principal),
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
          loader: loaders.tickets,
        }),
        comments: new CommentService({ em, principal, authors, attachments, writer, tickets: loaders.tickets, loader: loaders.comments }),
      };
    },
  });
}
