import { Arg, Args, Ctx, Directive, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Notification } from './notification.entity.ts';
import { LinkRevocation, MAX_RECIPIENTS, NotificationInput, SentNotificationFilter } from './notification.inputs.ts';
import { NotificationRecipient } from './notification-recipient.entity.ts';

const NotificationPage = pageOf('Notification', Notification);
const NotificationRecipientPage = pageOf('NotificationRecipient', NotificationRecipient);

@Resolver(() => Notification)
export class NotificationResolver {
  @Mutation(() => Notification, {
    description: 'Send an e-mail or SMS about a ticket. The recipients of the returned record show the results.',
  })
  @Requires('support:write')
  notifyTicketContacts(
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Arg('input', () => NotificationInput, { description: 'Message and recipients.' }) input: NotificationInput,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Notification> {
    return notifications.notify(ticketId, input);
  }

  @Mutation(() => Ticket, {
    description:
      'Revoke the links to the ticket page that were sent so far, for all recipients or some of them. Links in later e-mails work.',
  })
  @Requires('support:write')
  revokeTicketLinks(
    @Args(() => LinkRevocation) { ticketId, recipientIds }: LinkRevocation,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Ticket> {
    return notifications.revokeLinks(ticketId, recipientIds);
  }

  @Query(() => NotificationPage, { description: 'List the e-mails and SMS about a ticket, newest first.' })
  @Requires('support:write')
  ticketNotifications(
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Page<Notification>> {
    return notifications.ofTicket(ticketId, page ?? {});
  }

  @Query(() => NotificationRecipientPage, {
    description:
      'List the e-mails and SMS about tickets and reports, newest first, with their text. There is one entry for each recipient.',
  })
  @Requires('support:admin', { scope: 'organization' })
  sentNotifications(
    @Arg('filter', () => SentNotificationFilter, { nullable: true }) filter: SentNotificationFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Page<NotificationRecipient>> {
    return notifications.sent(filter ?? {}, page ?? {});
  }

  @FieldResolver(() => [NotificationRecipient], { description: 'One entry for each recipient, with the result.' })
  @Directive(`@listSize(assumedSize: ${MAX_RECIPIENTS})`)
  recipients(@Root() { id }: Notification, @Ctx() { loaders }: SupportContext): Promise<NotificationRecipient[]> {
    return loaders.notificationRecipients.of('notificationId', id);
  }
}

const KEPT = 'Null after the retention period.';
/**
 * Maximum length of a notification's text, from which the cost of the field is computed. A mail can contain ten
 * truncated comments and the variables. HTML can be several times as long, because characters are escaped.
 */
const MAX_TEXT = 40_000;
const MAX_HTML = 250_000;

@Resolver(() => NotificationRecipient)
export class NotificationRecipientResolver {
  @Large(MAX_TEXT)
  @FieldResolver(() => String, { nullable: true, description: `Text as it was or will be sent. ${KEPT}` })
  async text(@Root() { notificationId, name }: NotificationRecipient, @Ctx() { loaders }: SupportContext): Promise<string | null> {
    return (await loaders.notificationContents.load(notificationId))?.textFor(name) ?? null;
  }

  @Large(MAX_HTML)
  @FieldResolver(() => String, { nullable: true, description: `HTML version of the e-mail. ${KEPT}` })
  async html(@Root() { notificationId, name }: NotificationRecipient, @Ctx() { loaders }: SupportContext): Promise<string | null> {
    return (await loaders.notificationContents.load(notificationId))?.htmlFor(name) ?? null;
  }
}

@Resolver(() => Ticket)
export class TicketNotificationsResolver {
  @FieldResolver(() => [Notification], { description: 'E-mails and SMS about the ticket, newest first. For callers with `support:write`.' })
  @Requires('support:write')
  @ReadsFields('id')
  notifications(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: SupportContext,
  ): Promise<Notification[]> {
    return loaders.notifications.newest('ticketId', id, relationLimit(limit));
  }
}
