import type { Clock } from '../../kernel/clock.ts';
import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Agent } from './agents/agent.entity.ts';
import type { Attachment } from './attachments/attachment.entity.ts';
import type { Comment } from './comments/comment.entity.ts';
import type { CommentService } from './comments/comment.service.ts';
import type { JiraIntegrationService } from './integrations/jira/jira.service.ts';
import type { JiraIssue } from './integrations/jira/jira-issue.entity.ts';
import type { SlackIntegrationService } from './integrations/slack/slack.service.ts';
import type { Ticket } from './tickets/ticket.entity.ts';
import type { TicketService } from './tickets/ticket.service.ts';

/** What the resolvers of one request work with. */
export interface SupportContext {
  principal: Principal;
  clock: Clock;
  /** Public origin of the platform, for links. */
  origin: string;
  tickets: TicketService;
  comments: CommentService;
  slackIntegrations: SlackIntegrationService;
  jiraIntegrations: JiraIntegrationService;
  loaders: {
    tickets: RecordLoader<Ticket>;
    agents: RecordLoader<Agent>;
    attachments: RecordLoader<Attachment>;
    comments: RecordLoader<Comment>;
    jiraIssues: RecordLoader<JiraIssue>;
  };
}
