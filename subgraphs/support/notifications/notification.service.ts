import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { Notification } from './notification.entity.ts';
import { linksRevoked } from './notification.events.ts';
import type { NotificationInput, SentNotificationFilter } from './notification.inputs.ts';
import { NotificationType } from './notification.states.ts';
import { commentsFor } from './notification-comments.ts';
import { checkAllowance } from './notification-limits.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';
import { requestOf } from './notification-request.ts';
import type { NotificationSender } from './notification-sender.ts';
import { LINK_MS } from './ticket-links.ts';

export interface NotificationServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  sender: NotificationSender;
  tickets: RecordLoader<Ticket>;
}

/** Sends notifications about tickets of the caller's organization and lists them (specification 2.7, 4.7). */
export class NotificationService {
  constructor(private readonly deps: NotificationServiceDeps) {}

  /**
   * Creates a notification. Jobs send it after the commit.
   * @throws ResourceNotFound, InvalidParameters, NotificationLimitReached
   */
  async notify(ticketId: string, input: NotificationInput): Promise<Notification> {
    const { em, request, clock, sender } = this.deps;
    const { principal } = request;
    const ticket = await this.#ticket(ticketId);
    const asked = requestOf(input);
    return em.transactional(async (tx) => {
      await checkAllowance(tx, principal.organizationId, principal.plan, clock.now(), asked.contacts.length);
      if (asked.type === NotificationType.SMS) return sender.sendTicketSms(tx, ticket, asked, asked.message, principal);
      const comments = await commentsFor(tx, ticketId, asked.commentFilter, asked.contacts);
      return sender.sendTicketMail(tx, ticket, asked, { ...asked, comments }, principal);
    });
  }

  /**
   * Immediately revokes the links in mails about a ticket, for the recipients in `recipientIds`. Without `recipientIds`,
   * revokes the links of all recipients.
   * @throws ResourceNotFound for the ticket
   */
  async revokeLinks(ticketId: string, recipientIds?: readonly string[] | null): Promise<Ticket> {
    const { em, clock, request } = this.deps;
    const ticket = await this.#ticket(ticketId);
    await em.transactional(async (tx) => {
      const now = clock.now();
      // links in mails before `since` have already expired
      const since = new Date(now.getTime() - LINK_MS);
      const mails = await tx.find(Notification, { ticketId, type: NotificationType.EMAIL, createdAt: { $gt: since } }, { fields: ['id'] });
      const where = {
        notificationId: { $in: mails.map(({ id }) => id) },
        linkRevokedAt: null,
        ...(recipientIds && { id: { $in: [...recipientIds] } }),
      };
      const links = await tx.nativeUpdate(NotificationRecipient, where, { linkRevokedAt: now });
      if (links > 0) await record(tx, linksRevoked(ticket, links, request.principal, now));
    });
    return ticket;
  }

  /** Lists the notifications about a ticket. @throws ResourceNotFound if the caller cannot read the ticket */
  async ofTicket(ticketId: string, page: PageInput): Promise<Page<Notification>> {
    await this.#ticket(ticketId);
    return listPage(this.deps.em, Notification, { where: { ticketId }, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Lists the organization's sent and queued messages about tickets and reports, with one record for each recipient.
   */
  sent({ type, status }: SentNotificationFilter, page: PageInput): Promise<Page<NotificationRecipient>> {
    const where = matching<NotificationRecipient>({ type, status });
    return listPage(this.deps.em, NotificationRecipient, { where, page, defaultSort: NEWEST_FIRST });
  }

  async #ticket(id: string): Promise<Ticket> {
    return orNotFound(await this.deps.tickets.load(id), 'ticket', id);
  }
}
