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
    Notification,
    NotificationRecipient,
    RoutingRule,
    TicketAutomation,
  ],
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
    const attachments = new AttachmentStore(ports);
    const attachmentReader = new RecordReader(ports, Attachment);
    const editor = new TicketEditor(ports.clock, [followWithAutomations]);
    const writer = new CommentWriter({ editor, attachments, origin: ports.origin });
    const notifier = new Notifier(ports);
    const automations = new AutomationSweeper({ ...ports, editor, writer, notifier });
    return {
      subgraph: createSubgraph(ports, { attachments, attachmentReader, editor, writer, notifier }),
      attachments,
      mount: (app) => mountAttachments(app, attachmentReader, ports.files),
      async start() {
        attachments.start();
        automations.start();
      },
      async stop() {
        await automations.stop();
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
  notifier: Notifier;
}

function createSubgraph(ports: SupportPorts, { attachments, attachmentReader, editor, writer, notifier }: Parts): Subgraph {
  const { orm, clock, graph, origin } = ports;
  const ticketReader = new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } });
  const agentReader = new RecordReader(ports, Agent);
  const commentReader = new RecordReader(ports, Comment);
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
      AttachmentResolver,
      TicketAttachmentsResolver,
      CommentResolver,
      TicketCommentsResolver,
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
        attachments: attachmentReader.forOrganization(principal.organizationId),
        comments: commentReader.forOrganization(principal.organizationId),
      };
      const agents = new AgentService(principal.organizationId);
      const authors = new CommentAuthors({ em, graph, request });
      return {
        principal,
        clock,
        origin,
        loaders,
        tickets: new TicketService({
          em,
          request,
          clock,
          graph,
          agents,
          editor,
          router,
          attachments,
          authors,
          comments: writer,
          loader: loaders.tickets,
        }),
        comments: new CommentService({ em, principal, authors, attachments, writer, tickets: loaders.tickets, loader: loaders.comments }),
        notifications: new NotificationService({ em, request, clock, notifier, tickets: loaders.tickets }),
        routingRules: new RoutingRuleService({ em, request, clock, loader: loaders.routingRules }),
      };
    },
  });
}
