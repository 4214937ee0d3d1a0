import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Mail } from '../../../kernel/messages/mail.ts';
import { type Attempt, MessageQueue, type MessageQueueParts } from '../../../kernel/messages/message-queue.ts';
import { MessageRejected } from '../../../kernel/messages/rejected.ts';
import type { Sms } from '../../../kernel/messages/sms.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Agent } from '../agents/agent.entity.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import { Notification } from './notification.entity.ts';
import { NotificationStatus, NotificationType } from './notification.states.ts';
import { type ComposedMail, type MailParts, mailOf } from './notification-composer.ts';
import { NotificationContent } from './notification-content.entity.ts';
import { MAX_ATTEMPTS, NotificationRecipient } from './notification-recipient.entity.ts';
import type { TicketLinks } from './ticket-links.ts';

const BEYOND_PLAN = 'The limit of the plan for notification recipients per hour is reached.';

/** A person who gets a notification. */
export interface Contact {
  address: string;
  name?: string | null | undefined;
  role?: string | null | undefined;
}

/** The recipients of one notification. */
export interface Recipients {
  contacts: readonly Contact[];
  /**
   * Number of recipients that the plan still allows. Recipients above this number are stored as failed. Default: no
   * limit.
   */
  allowance?: number;
}

export interface NotificationSenderDeps extends Pick<MessageQueueParts<object>, 'jobs' | 'log' | 'mailer' | 'sms' | 'isSuspended'> {
  orm: Orm;
  clock: Clock;
  links: TicketLinks;
  /** Public origin of the platform, with which links begin. */
  origin: string;
}

interface SendJob {
  organizationId: string;
  recipientId: string;
}

/** Type, template, subject and text of a notification. All its recipients get the same content. */
type Content = Pick<Notification, 'type' | 'template'> &
  Pick<NotificationRecipient, 'subject'> &
  Partial<Pick<NotificationContent, 'document' | 'message'>>;

/** The organization and ticket of a notification. */
type About = Pick<Notification, 'organizationId' | 'ticketId'>;

/** Thrown if the retention task deleted the text of a message before the message could be sent. */
class ContentGone extends MessageRejected {
  override readonly message = 'The text was deleted by retention before the message could be sent.';
}

/**
 * Sends notifications about tickets and reports. Stores the text in the transaction that causes the notification. After
 * the commit, one job for each recipient sends the message and records the result.
 */
export class NotificationSender {
  readonly #messages: MessageQueue<SendJob>;

  constructor(private readonly deps: NotificationSenderDeps) {
    this.#messages = new MessageQueue({
      ...deps,
      name: 'support.notify',
      // the queue allows more retries than MAX_ATTEMPTS, so that the limit in the recipient's record applies, not the
      // limit of the queue
      retries: { retryLimit: MAX_ATTEMPTS * 2, retryDelaySeconds: 5, retryDelayMaxSeconds: 1800 },
      idOf: ({ recipientId }) => recipientId,
      messageOf: (job) => this.#begin(job),
      recordAttempt: (job, attempt) => this.#recordAttempt(job, attempt),
    });
  }

  sendTicketMail(tx: EntityManager, ticket: Ticket, recipients: Recipients, parts: MailParts, actor: Actor): Promise<Notification> {
    const mail = mailOf(ticket, this.deps.origin, parts);
    return this.#queue(tx, aboutTicket(ticket), { type: NotificationType.EMAIL, template: parts.template, ...mail }, recipients, actor);
  }

  sendTicketSms(tx: EntityManager, ticket: Ticket, recipients: Recipients, message: string, actor: Actor): Promise<Notification> {
    const content = { type: NotificationType.SMS, template: null, subject: null, message };
    return this.#queue(tx, aboutTicket(ticket), content, recipients, actor);
  }

  /** Sends a mail that is not about a ticket. `template` is the name of the mail in the list of sent notifications. */
  sendMail(
    tx: EntityManager,
    organizationId: string,
    recipients: Recipients,
    mail: ComposedMail & { template: string },
    actor: Actor,
  ): Promise<Notification> {
    return this.#queue(tx, { organizationId, ticketId: null }, { type: NotificationType.EMAIL, ...mail }, recipients, actor);
  }

  async #queue(
    tx: EntityManager,
    { organizationId, ticketId }: About,
    { type, template, subject, document = null, message = null }: Content,
    { contacts, allowance = Number.POSITIVE_INFINITY }: Recipients,
    actor: Actor,
  ): Promise<Notification> {
    const id = newId('notification');
    const createdAt = this.deps.clock.now();
    const shared = { organizationId, ticketId, type, createdAt };
    const notification = Object.assign(new Notification(), shared, { id, template, actorKind: actor.kind, actorId: actor.id });
    tx.persist([notification, Object.assign(new NotificationContent(), { id, organizationId, document, message, createdAt })]);
    for (const [index, contact] of contacts.entries()) {
      const { address, name = null, role = null } = contact;
      const own = { id: newId('notificationRecipient'), notificationId: id, address, name, role, subject };
      const recipient = Object.assign(new NotificationRecipient(), shared, own);
      tx.persist(recipient);
      if (index >= allowance) recipient.failed(BEYOND_PLAN, true);
      else await this.#messages.enqueue(tx, { organizationId, recipientId: recipient.id });
    }
    return notification;
  }

  /**
   * Starts an attempt and returns the message. Returns undefined if the message was already sent, or must not be sent
   * any more.
   */
  async #begin(job: SendJob): Promise<Mail | Sms | undefined> {
    let isToBeSent = false;
    const recipient = await this.#change(job, (one) => {
      isToBeSent = one.begin();
    });
    return recipient && isToBeSent ? this.#messageFor(recipient) : undefined;
  }

  /** Stores the result of an attempt. Returns whether the delivery has failed permanently. */
  async #recordAttempt(job: SendJob, attempt: Attempt): Promise<boolean> {
    const after = await this.#change(job, (one) => {
      if (attempt.problem === undefined) one.sent(this.deps.clock.now(), attempt.isSimulated);
      else one.failed(attempt.problem, attempt.isFinal);
    });
    return after?.status === NotificationStatus.FAILED;
  }

  #change({ organizationId, recipientId }: SendJob, act: (recipient: NotificationRecipient) => void) {
    return organizationEm(this.deps.orm, organizationId).transactional(async (tx) => {
      const recipient = await tx.findOne(NotificationRecipient, { id: recipientId }, LOCKED);
      if (recipient) act(recipient);
      return recipient;
    });
  }

  async #messageFor({ id, organizationId, notificationId, ticketId, type, address, name, subject }: NotificationRecipient) {
    const em = organizationEm(this.deps.orm, organizationId);
    const content = await em.findOne(NotificationContent, { id: notificationId });
    if (!content) throw new ContentGone();
    if (type === NotificationType.SMS) return { to: address, text: content.textFor(name) };
    const host = new URL(this.deps.origin).hostname;
    const token = ticketId && !(await isAgent(em, address)) ? this.deps.links.tokenOf(id, ticketId) : undefined;
    const [text, html] = [content.textFor(name, token), content.htmlFor(name, token)];
    const threading = { messageId: `${id}@${host}`, ...(ticketId && { thread: `${ticketId}@${host}` }) };
    return { to: address, ...(name && { toName: name }), subject: subject ?? '', text, ...(html && { html }), ...threading };
  }
}

/**
 * Returns whether the address belongs to an agent. Agents get no link that works without a login, because a reply
 * through such a link counts as a reply of the customer.
 */
const isAgent = async (em: EntityManager, address: string): Promise<boolean> =>
  (await em.count(Agent, { email: address.toLowerCase(), active: true })) > 0;

const aboutTicket = ({ id: ticketId, organizationId }: Ticket): About => ({ ticketId, organizationId });
