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
    description: 'Tells people about a ticket by e-mail or SMS. What comes of it stands with each recipient.',
  })
  @Requires('support:write')
  notifyTicketContacts(
    @Arg('ticketId', () => ID) ticketId: string,
    @Arg('input', () => NotificationInput) input: NotificationInput,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Notification> {
    return notifications.notify(ticketId, input);
  }

  @Mutation(() => Ticket, {
    description:
      'Takes back the links that mails about a ticket gave their recipients so far: all, or those of these recipients. Later mails have links that work.',
  })
  @Requires('support:write')
  revokeTicketLinks(
    @Args(() => LinkRevocation) { ticketId, recipientIds }: LinkRevocation,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Ticket> {
    return notifications.revokeLinks(ticketId, recipientIds);
  }

  @Query(() => NotificationPage, { description: 'What people were told about a ticket, newest first.' })
  @Requires('support:write')
  ticketNotifications(
    @Arg('ticketId', () => ID) ticketId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Page<Notification>> {
    return notifications.ofTicket(ticketId, page ?? {});
  }

  @Query(() => NotificationRecipientPage, {
    description:
      'Every e-mail and SMS about tickets and reports of the organization as it was, or will be, sent: newest first, one for each recipient.',
  })
  @Requires('support:admin', { scope: 'organization' })
  sentNotifications(
    @Arg('filter', () => SentNotificationFilter, { nullable: true }) filter: SentNotificationFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { notifications }: SupportContext,
  ): Promise<Page<NotificationRecipient>> {
    return notifications.sent(filter ?? {}, page ?? {});
  }

  @FieldResolver(() => [NotificationRecipient])
  @Directive(`@listSize(assumedSize: ${MAX_RECIPIENTS})`)
  recipients(@Root() { id }: Notification, @Ctx() { loaders }: SupportContext): Promise<NotificationRecipient[]> {
    return loaders.notificationRecipients.of('notificationId', id);
  }
}

const KEPT = 'Null once it is not kept any more.';
/** Maximum text length: ten comments, as mails cut them, and the variables. HTML with escapes is several times as long. */
const MAX_TEXT = 40_000;
const MAX_HTML = 250_000;

@Resolver(() => NotificationRecipient)
export class NotificationRecipientResolver {
  @Large(MAX_TEXT)
  @FieldResolver(() => String, { nullable: true, description: `As it was, or will be, sent. ${KEPT}` })
  async text(@Root() { notificationId, name }: NotificationRecipient, @Ctx() { loaders }: SupportContext): Promise<string | null> {
    return (await loaders.notificationContents.load(notificationId))?.textFor(name) ?? null;
  }

  @Large(MAX_HTML)
  @FieldResolver(() => String, { nullable: true, description: `Of an e-mail: the same as \`text\`, marked up. ${KEPT}` })
  async html(@Root() { notificationId, name }: NotificationRecipient, @Ctx() { loaders }: SupportContext): Promise<string | null> {
    return (await loaders.notificationContents.load(notificationId))?.htmlFor(name) ?? null;
  }
}

@Resolver(() => Ticket)
export class TicketNotificationsResolver {
  @FieldResolver(() => [Notification], { description: 'What people were told about it, newest first.' })
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
