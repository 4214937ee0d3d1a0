import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { NotificationStatus, NotificationType } from './notification.states.ts';

/** Maximum number of attempts. With the queue's growing delays they take about an hour. */
export const MAX_ATTEMPTS = 10;

/** A recipient of a notification, with the delivery status. The text is in NotificationContent. */
@ObjectType({ description: 'One recipient of a notification: what they are sent, and what came of it.' })
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

  @Field(() => ID)
  @Property({ type: 'text' })
  notificationId!: string;

  @Field(() => ID, { nullable: true, description: 'Null where it is about something else, such as a report.' })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  @Field(() => NotificationType)
  @Enum({ items: () => NotificationType, type: 'text' })
  type!: NotificationType;

  /** An e-mail address, or a phone number in E.164 format. */
  @Property({ type: 'text' })
  address!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  @Field(() => String, { nullable: true, description: 'As it was sent, such as `it_manager`.' })
  @Property({ type: 'text', nullable: true })
  role: string | null = null;

  @Field(() => String, { nullable: true, description: 'Of an e-mail.' })
  @Property({ type: 'text', nullable: true })
  subject: string | null = null;

  @Field(() => NotificationStatus)
  @Enum({ items: () => NotificationStatus, type: 'text' })
  status: NotificationStatus = NotificationStatus.QUEUED;

  @Field(() => Boolean, {
    description: 'Whether the platform has nothing to send with: it was written to its data folder and reached nobody.',
  })
  @Property({ type: 'boolean' })
  simulated = false;

  @Field(() => Int, { description: 'How often it was tried.' })
  @Property({ type: 'integer' })
  attempts = 0;

  @Field(() => String, { nullable: true, description: 'Why the last try failed; null where none has, and when it was sent.' })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  sentAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the link of the mail to the page of its ticket was taken back. It ends by itself after 30 days.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  linkRevokedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => String, { nullable: true })
  get email(): string | null {
    return this.type === NotificationType.EMAIL ? this.address : null;
  }

  @Field(() => String, { nullable: true, description: 'In E.164 form.' })
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
