import type { Clock } from '../../kernel/clock.ts';
import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Agent } from './agents/agent.entity.ts';
import type { DashboardService } from './analytics/dashboard.service.ts';
import type { Attachment } from './attachments/attachment.entity.ts';
import type { Comment } from './comments/comment.entity.ts';
import type { CommentService } from './comments/comment.service.ts';
import type { KnowledgeContext, KnowledgeLoaders } from './knowledge/knowledge.context.ts';
import type { ReportLinks } from './reports/report.links.ts';
import type { ReportService } from './reports/report.service.ts';
import type { Ticket } from './tickets/ticket.entity.ts';
import type { TicketService } from './tickets/ticket.service.ts';
import type { TicketChange } from './tickets/ticket-change.entity.ts';

/** What the resolvers of one request work with. */
export interface SupportContext extends KnowledgeContext {
  principal: Principal;
  clock: Clock;
  /** Public origin of the platform, for links. */
  origin: string;
  tickets: TicketService;
  dashboard: DashboardService;
  reports: ReportService;
  reportLinks: ReportLinks;
  loaders: { tickets: RecordLoader<Ticket>; agents: RecordLoader<Agent> } & KnowledgeLoaders;
  comments: CommentService;
  loaders: {
    tickets: RecordLoader<Ticket>;
    agents: RecordLoader<Agent>;
    attachments: RecordLoader<Attachment>;
    comments: RecordLoader<Comment>;
    changes: RecordLoader<TicketChange>;
  };
}
