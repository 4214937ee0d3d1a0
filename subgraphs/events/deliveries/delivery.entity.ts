import { BigIntType } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { DeliveryUnderWay, TestNotRedelivered } from './delivery.errors.ts';
import { attemptOf, DeliveryAttempt, type StoredAttempt } from './delivery-attempt.ts';

export enum DeliveryStatus {
  PENDING = 'pending',
  DELIVERED = 'delivered',
  FAILED = 'failed',
  EXHAUSTED = 'exhausted',
  SKIPPED = 'skipped',
}
registerEnumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description: 'Result of a delivery to a webhook.',
  valuesConfig: {
    PENDING: { description: 'Waiting for its next attempt, which is due now.' },
    DELIVERED: { description: 'The receiver responded with a 2xx status.' },
    FAILED: { description: 'The last attempt failed. `nextAttemptAt` is the time of the next attempt.' },
    EXHAUSTED: { description: 'All attempts failed. There are no further attempts.' },
    SKIPPED: { description: 'Not attempted. `error` contains the reason.' },
  },
});

/** Delivery of one event to one webhook, with the result of its last attempt (docs/decisions/events-and-webhooks.md). */
@ObjectType('WebhookDelivery', { description: 'Delivery of one event to one webhook, with the result of the last attempt.' })
@Entity({ tableName: 'delivery' })
@OrganizationFilter()
@Unique({ properties: ['webhookId', 'eventId'] })
@Index({ properties: ['webhookId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'revision'], where: 'revision is not null', name: 'delivery_organization_revision_index' })
@Index({ properties: ['revision'], where: 'revision is not null', name: 'delivery_revision_index' })
@Index({ properties: ['webhookId', 'sequence'], where: `status = 'pending' and attempt = 0`, name: 'delivery_first_index' })
@Index({
  properties: ['webhookId', 'nextAttemptAt'],
  where: `status in ('pending', 'failed') and attempt > 0`,
  name: 'delivery_retry_index',
})
export class Delivery {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Webhook that the event is delivered to (`wh_…`).' })
  @Property({ type: 'text' })
  webhookId!: string;

  @Field(() => ID, {
    description:
      'Event that is delivered (`evt_…`). It is sent as the `webhook-id` header and is the same for all attempts, so that receivers can detect duplicates.',
  })
  @Property({ type: 'text' })
  eventId!: string;

  @Field(() => String, { description: 'Name of the event, such as `ticket.created`.' })
  @Property({ type: 'text' })
  event!: string;

  /**
   * Position of the event in the log. The first attempts of a webhook's deliveries are made in the order of this
   * position. Null for a test event, which is not in the log.
   */
  @Property({ type: new BigIntType('number'), nullable: true })
  sequence: number | null = null;

  /**
   * Number of the last attempt. Recorded attempts are numbered across all deliveries, and become visible in the order
   * of their numbers. Null before the first attempt.
   */
  @Field(() => String, {
    nullable: true,
    description: 'Position of the last attempt. Send it as `after` of the subscription `deliveryUpdated`. Null before the first attempt.',
  })
  @Property({ type: new BigIntType('number'), nullable: true })
  revision: number | null = null;

  @Field(() => String, { description: 'Address that the last attempt was sent to.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  @Property({ type: 'integer' })
  attempt = 0;

  @Field(() => DeliveryStatus, { description: 'Result so far.' })
  @Enum({ items: () => DeliveryStatus, type: 'text' })
  status: DeliveryStatus = DeliveryStatus.PENDING;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the last response. Null if there was no response.' })
  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Field(() => String, { nullable: true, description: 'First 1 KiB of the last response. Null if there was no response.' })
  @Property({ type: 'text', nullable: true })
  responseBody: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Reason why there was no response, such as a timeout, or why the delivery was skipped. Null otherwise.',
  })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Int, { nullable: true, description: 'Duration of the last attempt in milliseconds. Null before the first attempt.' })
  @Property({ type: 'integer', nullable: true })
  durationMs: number | null = null;

  @Field(() => Date, { nullable: true, description: 'When the last attempt began. Null before the first attempt.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  attemptedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the next attempt is due. Null if there will be no further attempt.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  nextAttemptAt: Date | null = null;

  /** Time when the event was recorded. This time and the event id together are the key of the event in the log. */
  @Property({ type: 'datetime', length: 3 })
  occurredAt!: Date;

  @Field(() => Date, { description: 'When the delivery was created.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /**
   * Results of the attempts before the last attempt. When the result of a new attempt is stored in the row, a trigger
   * (migration 0002) moves the previous result to this column.
   */
  @Property({ type: 'json', nullable: true })
  readonly earlierAttempts: StoredAttempt[] | null = null;

  @Field(() => [DeliveryAttempt], {
    description:
      'All attempts in order, including the attempts before a redelivery or replay. At most the latest 33 attempts. Of the attempts before release 1.3, only the last attempt is stored.',
  })
  get attempts(): DeliveryAttempt[] {
    const { attemptedAt, url, responseStatus, responseBody, error, durationMs } = this;
    const isAttempt = attemptedAt !== null && this.status !== DeliveryStatus.SKIPPED;
    const last = isAttempt ? [attemptOf({ attemptedAt, url, responseStatus, responseBody, error, durationMs })] : [];
    return [...(this.earlierAttempts ?? []).map(attemptOf), ...last];
  }

  /**
   * Schedules one more attempt, which is due immediately. If this attempt fails, the usual retry schedule continues.
   * @throws TestNotRedelivered, DeliveryUnderWay
   */
  redeliver(now: Date): void {
    if (this.sequence === null) throw new TestNotRedelivered(this.id);
    if (this.status === DeliveryStatus.PENDING) throw new DeliveryUnderWay(this.id);
    this.status = DeliveryStatus.PENDING;
    this.nextAttemptAt = now;
  }
}
