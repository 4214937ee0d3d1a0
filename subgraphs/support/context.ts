import type { Principal } from '../../kernel/access/principal.ts';
import { AnalyticsReads } from '../../kernel/analytics/analytics-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { AgentService } from './agents/agent.service.ts';
import { AgentAssignment } from './agents/agent-assignment.ts';
import { DashboardService } from './analytics/dashboard.service.ts';
import { Figures } from './analytics/figures.ts';
import { TicketAnalyticsService } from './analytics/ticket-analytics.service.ts';
import { CategoryService } from './categories/category.service.ts';
import { CommentService } from './comments/comment.service.ts';
import { CommentAuthors } from './comments/comment-authors.ts';
import type { SupportCore } from './core.ts';
import { EscalationService } from './escalations/escalation.service.ts';
import { FeedbackService } from './feedback/feedback.service.ts';
import type { JiraIntegrationService } from './integrations/jira/jira.service.ts';
import type { SlackIntegrationService } from './integrations/slack/slack.service.ts';
import type { ArticleLoader } from './knowledge/article.loader.ts';
import type { ArticleService } from './knowledge/article.service.ts';
import { NotificationService } from './notifications/notification.service.ts';
import { ReportService } from './reports/report.service.ts';
import { RoutingRuleService } from './routing/routing-rule.service.ts';
import { SlaPolicyService } from './sla-policies/sla-policy.service.ts';
import { TicketSearch } from './ticket-search/ticket-search.ts';
import { TicketService } from './tickets/ticket.service.ts';
import { TicketCreator } from './tickets/ticket-creator.ts';
import { isDesk } from './visibility.ts';

/** Services, loaders and values that the resolvers of one request use. Each of them is created at its first use. */
export class SupportContext {
  readonly principal: Principal;
  readonly clock: Clock;
  /** Public origin of the platform. The links in responses begin with it. */
  readonly origin: string;
  readonly #core: SupportCore;
  readonly #request: RequestContext;

  constructor(core: SupportCore, request: RequestContext) {
    this.principal = request.principal;
    this.clock = core.ports.clock;
    this.origin = core.ports.origin;
    this.#core = core;
    this.#request = request;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  get articleLoader(): ArticleLoader {
    return this.knowledge.loader;
  }

  @once get tickets(): TicketService {
    const { editor, comments, router, desks, attachments, ports } = this.#core;
    const loader = this.loaders.tickets;
    const creator = new TicketCreator({
      ...this.shared,
      graph: ports.graph,
      assignment: this.assignment,
      router,
      desks,
      editor,
      attachments,
    });
    return new TicketService({ ...this.shared, editor, authors: this.authors, comments, creator, loader });
  }

  @once get ticketSearch(): TicketSearch {
    const { ports, counters, accents, textAccounts } = this.#core;
    const { organizationId, accounts } = this.principal;
    const reader = { organizationId, accounts, isDesk: isDesk(this.principal) };
    return new TicketSearch(ports.rows, counters, reader, this.loaders.tickets, accents, textAccounts);
  }

  @once get comments(): CommentService {
    const { attachments, comments: writer } = this.#core;
    const { tickets, comments: loader } = this.loaders;
    return new CommentService({ ...this.shared, authors: this.authors, attachments, writer, tickets, loader });
  }

  @once get agents(): AgentService {
    return new AgentService({ ...this.shared, assignment: this.assignment, loader: this.loaders.agents });
  }

  @once get categories(): CategoryService {
    return new CategoryService(this.shared);
  }

  @once get slaPolicies(): SlaPolicyService {
    return new SlaPolicyService(this.shared);
  }

  @once get escalations(): EscalationService {
    const { editor, comments: writer, notificationSender: sender } = this.#core;
    return new EscalationService({ ...this.shared, editor, authors: this.authors, writer, sender, loader: this.loaders.escalations });
  }

  @once get notifications(): NotificationService {
    return new NotificationService({ ...this.shared, sender: this.#core.notificationSender, tickets: this.loaders.tickets });
  }

  @once get routingRules(): RoutingRuleService {
    return new RoutingRuleService({ ...this.shared, loader: this.loaders.routingRules });
  }

  get slackIntegrations(): SlackIntegrationService {
    return this.integrations.slackIntegrations;
  }

  get jiraIntegrations(): JiraIntegrationService {
    return this.integrations.jiraIntegrations;
  }

  get articles(): ArticleService {
    return this.knowledge.articles;
  }

  @once get feedback(): FeedbackService {
    return new FeedbackService(this.shared);
  }

  @once get dashboard(): DashboardService {
    const { rows } = this.#core.ports;
    return new DashboardService(rows, new Figures(rows, this.principal), this.clock);
  }

  @once get ticketAnalytics() {
    const service = new TicketAnalyticsService({ rows: this.#core.ports.rows, principal: this.principal });
    return {
      figures: new AnalyticsReads((range) => service.read(range)),
      trends: new AnalyticsReads((range) => service.trend(range)),
    };
  }

  @once get reports(): ReportService {
    const { ports, reports } = this.#core;
    return new ReportService({ ...this.shared, rows: ports.rows, engine: reports });
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }

  /** Dependencies that every service of the support domain receives. */
  @once private get shared() {
    const { em, clock, principal } = this;
    return { em, clock, principal, organizationId: principal.organizationId, request: this.#request };
  }

  @once private get assignment(): AgentAssignment {
    return new AgentAssignment(this.principal.organizationId);
  }

  @once private get authors(): CommentAuthors {
    return new CommentAuthors({ em: this.em, graph: this.#core.ports.graph, request: this.#request });
  }

  @once private get knowledge() {
    return this.#core.knowledge(this.em, this.principal);
  }

  @once private get integrations() {
    return this.#core.integrations.forRequest(this.em, this.principal);
  }
}
