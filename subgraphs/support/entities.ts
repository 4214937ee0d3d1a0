import { Agent } from './agents/agent.entity.ts';
import { Attachment } from './attachments/attachment.entity.ts';
import { AttachmentUpload } from './attachments/attachment-upload.entity.ts';
import { CategoryOverride } from './categories/category-override.entity.ts';
import { Comment } from './comments/comment.entity.ts';
import { Escalation } from './escalations/escalation.entity.ts';
import { Feedback } from './feedback/feedback.entity.ts';
import { IntegrationDelivery } from './integrations/integration-delivery.entity.ts';
import { JiraComment } from './integrations/jira/jira-comment.entity.ts';
import { JiraIntegration } from './integrations/jira/jira-integration.entity.ts';
import { JiraIssue } from './integrations/jira/jira-issue.entity.ts';
import { SlackIntegration } from './integrations/slack/slack-integration.entity.ts';
import { Article } from './knowledge/article.entity.ts';
import { Notification } from './notifications/notification.entity.ts';
import { NotificationContent } from './notifications/notification-content.entity.ts';
import { NotificationRecipient } from './notifications/notification-recipient.entity.ts';
import { Report } from './reports/report.entity.ts';
import { RoutingRule } from './routing/routing-rule.entity.ts';
import { TicketAutomation } from './routing/ticket-automation.entity.ts';
import { SlaMilestone } from './sla/sla-milestone.entity.ts';
import { SlaPolicy } from './sla-policies/sla-policy.entity.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';

/** Entities of the support domain. */
export const entities = [
  Agent,
  AttachmentUpload,
  Attachment,
  CategoryOverride,
  Comment,
  Escalation,
  Feedback,
  IntegrationDelivery,
  JiraComment,
  JiraIntegration,
  JiraIssue,
  SlackIntegration,
  Article,
  NotificationContent,
  NotificationRecipient,
  Notification,
  Report,
  RoutingRule,
  TicketAutomation,
  SlaMilestone,
  SlaPolicy,
  TicketChange,
  Ticket,
];
