import type { RecordScope } from '../../kernel/access/principal.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { ReportEngine } from '../../kernel/reports/report-engine.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
import { Agent } from './agents/agent.entity.ts';
import { Attachment } from './attachments/attachment.entity.ts';
import { AttachmentStore } from './attachments/attachment.store.ts';
import { Comment } from './comments/comment.entity.ts';
import { CommentWriter } from './comments/comment-writer.ts';
import { Escalation } from './escalations/escalation.entity.ts';
import { Feedback } from './feedback/feedback.entity.ts';
import { Integrations } from './integrations/integrations.ts';
import { JiraIssue } from './integrations/jira/jira-issue.entity.ts';
import { knowledgeOf } from './knowledge/knowledge-context.ts';
import { Notification } from './notifications/notification.entity.ts';
import { notificationRetention } from './notifications/notification.retention.ts';
import { NotificationContent } from './notifications/notification-content.entity.ts';
import { NotificationRecipient } from './notifications/notification-recipient.entity.ts';
import { NotificationSender } from './notifications/notification-sender.ts';
import { TicketLinks } from './notifications/ticket-links.ts';
import type { SupportPorts } from './ports.ts';
import { ticketReports } from './reports/report-tickets.ts';
import { routedEscalationsOf } from './routing/automation.loader.ts';
import { automationSweeper } from './routing/automation.sweeper.ts';
import { followWithAutomations } from './routing/automation-following.ts';
import { RoutingRule } from './routing/routing-rule.entity.ts';
import { desks } from './routing/ticket-desk.ts';
import { TicketRouter } from './routing/ticket-router.ts';
import { slaSweeper } from './sla/sla.sweeper.ts';
import { SlaTracker } from './sla/sla-tracker.ts';
import { supportEvents } from './support.events.ts';
import { TICKET_ACCOUNT_TALLY, TICKET_TALLY } from './ticket-search/ticket-tallies.ts';
import { accentsBackfill, textAccountsBackfill } from './ticket-search/ticket-text.ts';
import { Ticket } from './tickets/ticket.entity.ts';
import { TicketChange } from './tickets/ticket-change.entity.ts';
import { TicketEditor } from './tickets/ticket-editor.ts';

/** Interval between two runs of the task that deletes old notification texts. */
const RETENTION_MS = 600_000;

export type SupportCore = ReturnType<typeof createCore>;

export function createCore(ports: SupportPorts) {
  const { clock, log, origin, rows } = ports;
  const links = new TicketLinks(ports);
  const sender = new NotificationSender({ ...ports, links });
  const editor = new TicketEditor(clock, new SlaTracker(), [followWithAutomations]);
  const attachments = new AttachmentStore(ports);
  const comments = new CommentWriter({ editor, attachments, origin });
  const notifications = notificationRetention(ports);
  const retained = [notifications, attachments.retained];
  const readers = {
    tickets: new RecordReader(ports, Ticket, { agent: { entity: Agent, by: 'agentId' } }),
    agents: new RecordReader(ports, Agent),
    attachments: new RecordReader(ports, Attachment),
    comments: new RecordReader(ports, Comment),
    changes: new RecordReader(ports, TicketChange),
    escalations: new RecordReader(ports, Escalation),
    feedback: new RecordReader(ports, Feedback),
    notifications: new RecordReader(ports, Notification),
    notificationContents: new RecordReader(ports, NotificationContent),
    notificationRecipients: new RecordReader(ports, NotificationRecipient),
    routingRules: new RecordReader(ports, RoutingRule),
    jiraIssues: new RecordReader(ports, JiraIssue),
    routedEscalations: { forScope: ({ organizationId }: RecordScope) => routedEscalationsOf(rows, organizationId) },
  };
  return {
    ports,
    editor,
    attachments,
    comments,
    notificationSender: sender,
    retained,
    notificationRetention: new RetentionTask({ name: 'support.notifications', everyMs: RETENTION_MS, log }, () => [notifications]),
    reports: new ReportEngine(ports, ticketReports({ ...ports, sender })),
    links,
    router: new TicketRouter(sender, clock),
    desks: desks(),
    knowledge: knowledgeOf(ports),
    integrations: new Integrations(ports, supportEvents, comments),
    counters: new Counters(ports, TICKET_TALLY, TICKET_ACCOUNT_TALLY),
    accents: accentsBackfill(ports),
    textAccounts: textAccountsBackfill(ports),
    slaSweeper: slaSweeper({ ...ports, editor }),
    automationSweeper: automationSweeper({ ...ports, editor, sender, writer: comments }),
    readers,
  };
}
