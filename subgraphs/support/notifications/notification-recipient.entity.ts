import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { NotificationStatus, NotificationType } from './notification.states.ts';

/**
 * Maximum number of attempts. All attempts together take about an hour, because the queue increases the delay after
 * each attempt.
 */
export const MAX_ATTEMPTS = 10;

/** A recipient of a notification, with the delivery status. The text is in NotificationContent. */
@ObjectType({ description: 'One recipient of a message, with the text that was sent and the result.' })
@Entity({ tableName: 'notification_recipient' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['notificationId'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class NotificationRecipient {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Message that the recipient belongs to (`ntf_…`).' })
  @Property({ type: 'text' })
  notificationId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Ticket that the message is about (`ticket_…`). Null if it is about something else, such as a report.',
  })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  @Field(() => NotificationType, { description: 'Channel of the message.' })
  @Enum({ items: () => NotificationType, type: 'text' })
  type!: NotificationType;

  /** An e-mail address, or a phone number in E.164 format. */
  @Property({ type: 'text' })
  address!: string;

  @Field(() => String, { nullable: true, description: 'Name of the recipient. Null if not stated.' })
  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  @Field(() => String, { nullable: true, description: 'Role of the recipient as sent, such as `it_manager`. Null if not stated.' })
  @Property({ type: 'text', nullable: true })
  role: string | null = null;

  @Field(() => String, { nullable: true, description: 'Subject of the e-mail. Null for an SMS.' })
  @Property({ type: 'text', nullable: true })
  subject: string | null = null;

  @Field(() => NotificationStatus, { description: 'Result so far.' })
  @Enum({ items: () => NotificationStatus, type: 'text' })
  status: NotificationStatus = NotificationStatus.QUEUED;

  @Field(() => Boolean, {
    description: 'True if no mail server or SMS provider is configured. The message was written to the data folder and reached nobody.',
  })
  @Property({ type: 'boolean' })
  simulated = false;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  @Property({ type: 'integer' })
  attempts = 0;

  @Field(() => String, {
    nullable: true,
    description: 'Reason why the last attempt failed. Null if no attempt failed, and after the message was sent.',
  })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Field(() => Date, { nullable: true, description: 'When the mail server or SMS provider accepted it. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  sentAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description:
      'When the link to the ticket page in the e-mail was revoked. Null unless it was revoked. Links that are not revoked expire after 30 days.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  linkRevokedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => String, { nullable: true, description: 'E-mail address. Null for an SMS.' })
  get email(): string | null {
    return this.type === NotificationType.EMAIL ? this.address : null;
  }

  @Field(() => String, { nullable: true, description: 'Mobile number in E.164 form, such as +12125550100. Null for an e-mail.' })
  get phone(): string | null {
    return this.type === NotificationType.SMS ? this.address : null;
  }

  /** Starts an attempt and counts it. Returns false if the message was sent or has failed already. */
  begin(): boolean {
    if (this.status !== NotificationStatus.QUEUED) return false;
    this.attempts += 1;
    return true;
  }

  sent(now: Date, simulated: boolean): void {
    Object.assign(this, { status: NotificationStatus.SENT, sentAt: now, lastError: null, simulated });
  }

  failed(reason: string, isFinal: boolean): void {
    this.lastError = reason;
    if (isFinal || this.attempts >= MAX_ATTEMPTS) this.status = NotificationStatus.FAILED;
  }
}
