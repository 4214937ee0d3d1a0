import type { ClassType } from 'type-graphql';
import { AgentResolver } from './agents/agent.resolver.ts';
import { DashboardResolver } from './analytics/dashboard.resolver.ts';
import { TicketAnalyticsResolver } from './analytics/ticket-analytics.resolver.ts';
import { AttachmentResolver, TicketAttachmentsResolver } from './attachments/attachment.resolver.ts';
import { CategoryResolver } from './categories/category.resolver.ts';
import { CommentResolver, TicketCommentsResolver } from './comments/comment.resolver.ts';
import { EscalationResolver } from './escalations/escalation.resolver.ts';
import { FeedbackResolver, TicketFeedbackResolver } from './feedback/feedback.resolver.ts';
import { JiraIntegrationResolver, TicketIssuesResolver } from './integrations/jira/jira.resolver.ts';
import { SlackIntegrationResolver } from './integrations/slack/slack.resolver.ts';
import { ArticleResolver, KnowledgeHitResolver } from './knowledge/article.resolver.ts';
import { NotificationRecipientResolver, NotificationResolver, TicketNotificationsResolver } from './notifications/notification.resolver.ts';
import { ReportResolver } from './reports/report.resolver.ts';
import { RoutingRuleResolver, TicketRoutingResolver } from './routing/routing-rule.resolver.ts';
import { SlaEscalationResolver, SlaResolver } from './sla/sla.resolver.ts';
import { SlaPolicyResolver } from './sla-policies/sla-policy.resolver.ts';
import { AccountTicketsResolver, ServiceTicketsResolver, TicketResolver } from './tickets/ticket.resolver.ts';
import { TicketChangeResolver, TicketTimelineResolver } from './tickets/ticket-change.resolver.ts';

/** Resolvers of the support subgraph. */
export const resolvers: [ClassType, ...ClassType[]] = [
  AgentResolver,
  DashboardResolver,
  TicketAnalyticsResolver,
  AttachmentResolver,
  TicketAttachmentsResolver,
  CategoryResolver,
  CommentResolver,
  TicketCommentsResolver,
  EscalationResolver,
  FeedbackResolver,
  TicketFeedbackResolver,
  JiraIntegrationResolver,
  TicketIssuesResolver,
  SlackIntegrationResolver,
  ArticleResolver,
  KnowledgeHitResolver,
  NotificationResolver,
  NotificationRecipientResolver,
  TicketNotificationsResolver,
  ReportResolver,
  RoutingRuleResolver,
  TicketRoutingResolver,
  SlaPolicyResolver,
  SlaResolver,
  SlaEscalationResolver,
  TicketChangeResolver,
  TicketTimelineResolver,
  TicketResolver,
  AccountTicketsResolver,
  ServiceTicketsResolver,
];
