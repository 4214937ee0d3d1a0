import type { Clock } from '../../kernel/clock.ts';
import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Agent } from './agents/agent.entity.ts';
import type { Attachment } from './attachments/attachment.entity.ts';
import type { Comment } from './comments/comment.entity.ts';
import type { CommentService } from './comments/comment.service.ts';
import type { Notification } from './notifications/notification.entity.ts';
import type { NotificationService } from './notifications/notification.service.ts';
import type { NotificationRecipient } from './notifications/notification-recipient.entity.ts';
import type { RoutingRule } from './routing/routing-rule.entity.ts';
import type { RoutingRuleService } from './routing/routing-rule.service.ts';
import type { Ticket } from './tickets/ticket.entity.ts';
import type { TicketService } from './tickets/ticket.service.ts';

/** What the resolvers of one request work with. */
export interface SupportContext {
  principal: Principal;
  clock: Clock;
  /** Public origin of the platform, for links. */
  origin: string;
  tickets: TicketService;
  notifications: NotificationService;
  routingRules: RoutingRuleService;
  comments: CommentService;
  loaders: {
    tickets: RecordLoader<Ticket>;
    agents: RecordLoader<Agent>;
    attachments: RecordLoader<Attachment>;
    comments: RecordLoader<Comment>;
    notifications: RecordLoader<Notification>;
    notificationRecipients: RecordLoader<NotificationRecipient>;
    routingRules: RecordLoader<RoutingRule>;
  };
}
