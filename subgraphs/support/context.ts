import { loadersOf } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { AgentAssignment } from './agents/agent.assignment.ts';
import { AgentService } from './agents/agent.service.ts';
import { DashboardService } from './analytics/dashboard.service.ts';
import { Figures } from './analytics/figures.ts';
import { CategoryService } from './categories/category.service.ts';
import { CommentAuthors } from './comments/comment.authors.ts';
import { CommentService } from './comments/comment.service.ts';
import type { SupportCore } from './core.ts';
import { EscalationService } from './escalations/escalation.service.ts';
import { NotificationService } from './notifications/notification.service.ts';
import { ReportService } from './reports/report.service.ts';
import { RoutingRuleService } from './routing/routing-rule.service.ts';
import { SlaPolicyService } from './sla/sla-policy.service.ts';
import { TicketSearch } from './ticket-search/ticket.search.ts';
import { TicketOpening } from './tickets/ticket.opening.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { isDesk } from './visibility.ts';

/** What the resolvers of one request work with. */
export type SupportContext = ReturnType<typeof contextOf>;

export function contextOf(core: SupportCore, request: RequestContext) {
  const { ports, editor, attachments, comments: writer, notifier, router, reportLinks } = core;
  const { orm, rows, jobs, clock, graph, origin } = ports;
  const { principal } = request;
  const { organizationId } = principal;
  const em = organizationEm(orm, organizationId);
  const { loaders: knowledgeLoaders, ...knowledge } = core.knowledge(em, principal);
  const loaders = { ...loadersOf(core.readers, organizationId), ...knowledgeLoaders };
  const assignment = new AgentAssignment(organizationId);
  const authors = new CommentAuthors({ em, graph, request });
  const search = new TicketSearch(rows, core.tally, { organizationId, isDesk: isDesk(principal) }, loaders.tickets);
  const shared = { em, clock, principal, organizationId, request };
  const opening = new TicketOpening({ ...shared, graph, assignment, router, editor, attachments });
  return {
    principal,
    clock,
    /** Public origin of the platform, for links. */
    origin,
    loaders,
    tickets: new TicketService({ ...shared, editor, authors, comments: writer, opening, search, loader: loaders.tickets }),
    comments: new CommentService({ ...shared, authors, attachments, writer, tickets: loaders.tickets, loader: loaders.comments }),
    agents: new AgentService({ ...shared, assignment, loader: loaders.agents }),
    categories: new CategoryService(shared),
    slaPolicies: new SlaPolicyService(shared),
    escalations: new EscalationService({ ...shared, editor, authors, writer, notifier, loader: loaders.escalations }),
    notifications: new NotificationService({ ...shared, notifier, tickets: loaders.tickets }),
    routingRules: new RoutingRuleService({ ...shared, loader: loaders.routingRules }),
    ...core.integrations.forRequest(em, principal),
    ...knowledge,
    dashboard: new DashboardService(rows, new Figures(rows, organizationId), clock),
    reports: new ReportService({ ...shared, rows, jobs }),
    reportLinks,
  };
}
