import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { type Mailer, MailRejected } from '../../../kernel/messages/mail.ts';
import { SmsRejected, type SmsSender } from '../../../kernel/messages/sms.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization.filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import { type ComposedMail, type MailParts, mailOf } from './notification.composer.ts';
import { Notification } from './notification.entity.ts';
import { NotificationStatus, NotificationType } from './notification.states.ts';
import { NotificationContent } from './notification-content.entity.ts';
import { MAX_ATTEMPTS, NotificationRecipient } from './notification-recipient.entity.ts';

const QUEUE = 'support.notify';
/** What a refusal says is for who asked; the details of an outage are the operator's, in the log. */
const UNAVAILABLE: Readonly<Record<NotificationType, string>> = {
  email: 'The mail server could not be reached, or did not take it this time.',
  sms: 'The SMS provider could not be reached, or did not take it this time.',
};

const BEYOND_PLAN = 'The plan allows no more recipients of notifications within this hour.';

/** Whom a notification goes to. */
export interface Contact {
  address: string;
  name?: string | null | undefined;
  role?: string | null | undefined;
}

/** Those whom one notification goes to. */
export interface Addressees {
  contacts: readonly Contact[];
  /** How many of them may be told within what the plan allows; the others have failed from the start. Default: all. */
  allowance?: number;
}

export interface NotifierDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  mailer: Mailer;
  sms: SmsSender;
  /** Public origin of the platform, for links. */
  origin: string;
}

interface SendJob {
  organizationId: string;
  recipientId: string;
}

/** What all recipients are told, as what. */
type Told = Pick<Notification, 'type' | 'template'> &
  Pick<NotificationRecipient, 'subject'> &
  Partial<Pick<NotificationContent, 'document' | 'message'>>;

/** Where a notification belongs. */
type About = Pick<Notification, 'organizationId' | 'ticketId'>;

/** It waited for longer than what it says is kept. */
class ContentGone extends Error {
  override readonly message = 'It was not sent for so long that what it said is not kept any more.';
}

/**
 * Tells people about tickets and reports. What they are sent is written, and stored, in the transaction that decides it, and leaves when
 * that commits, by one job a recipient. A job whose process dies between sending and noting it sends again: at least once, and by
 * mail under the same Message-ID.
 */
export class Notifier {
  constructor(private readonly deps: NotifierDeps) {
    // the queue's retries outlast ours, so that it is we who give up
    deps.jobs.define<SendJob>(QUEUE, (job) => this.#send(job), {
      retryLimit: MAX_ATTEMPTS * 2,
      retryDelaySeconds: 5,
      retryDelayMaxSeconds: 1800,
    });
  }

  mail(tx: EntityManager, ticket: Ticket, addressees: Addressees, parts: MailParts, actor: Actor): Promise<Notification> {
    const mail = mailOf(ticket, this.deps.origin, parts);
    return this.#queue(tx, aboutTicket(ticket), { type: NotificationType.EMAIL, template: parts.template, ...mail }, addressees, actor);
  }

  text(tx: EntityManager, ticket: Ticket, addressees: Addressees, message: string, actor: Actor): Promise<Notification> {
    const told = { type: NotificationType.SMS, template: null, subject: null, message };
    return this.#queue(tx, aboutTicket(ticket), told, addressees, actor);
  }

  /** A mail that is about no ticket, composed by whom it is about; `template` is what it is called in the outbox. */
  announce(
    tx: EntityManager,
    organizationId: string,
    addressees: Addressees,
    mail: ComposedMail & { template: string },
    actor: Actor,
  ): Promise<Notification> {
    return this.#queue(tx, { organizationId, ticketId: null }, { type: NotificationType.EMAIL, ...mail }, addressees, actor);
  }

  async #queue(
    tx: EntityManager,
    { organizationId, ticketId }: About,
    { type, template, subject, document = null, message = null }: Told,
    { contacts, allowance = Number.POSITIVE_INFINITY }: Addressees,
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
      else await this.deps.jobs.enqueue(tx, QUEUE, { organizationId, recipientId: recipient.id } satisfies SendJob);
    }
    return notification;
  }

  /** @throws what went wrong where it is to be tried again. */
  async #send({ organizationId, recipientId }: SendJob): Promise<void> {
    const settle = (act: (recipient: NotificationRecipient) => void) =>
      organizationEm(this.deps.orm, organizationId).transactional(async (tx) => {
        const recipient = await tx.findOne(NotificationRecipient, { id: recipientId }, LOCKED);
        if (recipient) act(recipient);
        return recipient;
      });

    let isToBeSent = false;
    const recipient = await settle((one) => {
      isToBeSent = one.begin();
    });
    if (!recipient || !isToBeSent) return;
    let isSimulated: boolean;
    try {
      isSimulated = await this.#handOver(recipient);
    } catch (error) {
      const isFinal = error instanceof MailRejected || error instanceof SmsRejected || error instanceof ContentGone;
      const after = await settle((one) => one.failed(isFinal ? error.message : UNAVAILABLE[one.type], isFinal));
      if (after?.status !== NotificationStatus.FAILED) throw error;
      this.deps.log.warn({ err: error, recipient: recipientId }, 'a notification was given up');
      return;
    }
    await settle((one) => one.sent(this.deps.clock.now(), isSimulated));
  }

  /** Whether it reached nobody, because there is nothing to send with. */
  async #handOver({ id, organizationId, notificationId, ticketId, type, address, name, subject }: NotificationRecipient): Promise<boolean> {
    const { orm, mailer, sms, origin } = this.deps;
    const content = await organizationEm(orm, organizationId).findOne(NotificationContent, { id: notificationId });
    if (!content) throw new ContentGone();
    const [text, html] = [content.textFor(name), content.htmlFor(name)];
    if (type === NotificationType.SMS) {
      await sms.send({ to: address, text });
      return sms.isSimulated ?? false;
    }
    const host = new URL(origin).hostname;
    const threading = { messageId: `${id}@${host}`, ...(ticketId && { thread: `${ticketId}@${host}` }) };
    await mailer.send({ to: address, ...(name && { toName: name }), subject: subject ?? '', text, ...(html && { html }), ...threading });
    return mailer.isSimulated ?? false;
  }
}

const aboutTicket = ({ id: ticketId, organizationId }: Ticket): About => ({ ticketId, organizationId });
