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
  description:
    '`PENDING`: to be tried as soon as it can be. `DELIVERED`: answered with 2xx. `FAILED`: the last attempt failed; `nextAttemptAt` says when the next is. `EXHAUSTED`: given up. `SKIPPED`: not tried; `error` says why.',
});

/** Delivery of one event to one webhook, with the result of its last attempt (docs/decisions/events-and-webhooks.md). */
@ObjectType('WebhookDelivery', { description: 'One event on its way to one webhook, as its last attempt left it.' })
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

  @Field(() => ID)
  @Property({ type: 'text' })
  webhookId!: string;

  @Field(() => ID, { description: 'Also the `webhook-id` header: the same at each attempt, for receivers to drop duplicates by.' })
  @Property({ type: 'text' })
  eventId!: string;

  @Field(() => String, { description: 'The name of the event.' })
  @Property({ type: 'text' })
  event!: string;

  /** Position of the event in the log, which is the order of first attempts. Null for a test event, which is not in the log. */
  @Property({ type: new BigIntType('number'), nullable: true })
  sequence: number | null = null;

  /** Increases with each recorded attempt, across all deliveries. Revisions become visible in order. */
  @Field(() => String, { nullable: true, description: 'Of its last attempt: the position for `after` of `deliveryUpdated`.' })
  @Property({ type: new BigIntType('number'), nullable: true })
  revision: number | null = null;

  @Field(() => String, { description: 'Where the last attempt went.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => Int, { description: 'How many attempts were made.' })
  @Property({ type: 'integer' })
  attempt = 0;

  @Field(() => DeliveryStatus)
  @Enum({ items: () => DeliveryStatus, type: 'text' })
  status: DeliveryStatus = DeliveryStatus.PENDING;

  @Field(() => Int, { nullable: true, description: 'The HTTP status that the receiver answered; null where there was no answer.' })
  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Field(() => String, { nullable: true, description: 'The first 1 KiB of the answer.' })
  @Property({ type: 'text', nullable: true })
  responseBody: string | null = null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer, such as `no answer within 10 s`, or why it was skipped.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Int, { nullable: true, description: 'How long the last attempt took, in milliseconds.' })
  @Property({ type: 'integer', nullable: true })
  durationMs: number | null = null;

  @Field(() => Date, { nullable: true, description: 'When the last attempt began; null before the first.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  attemptedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Null when there is no further one.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  nextAttemptAt: Date | null = null;

  /** When the event was recorded. Together with the event id, it is the event's key in the log. */
  @Property({ type: 'datetime', length: 3 })
  occurredAt!: Date;

  @Field(() => Date, { description: 'When it was planned.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Results of earlier attempts. A trigger (migration 0002) moves them here when the row gets the result of a later attempt. */
  @Property({ type: 'json', nullable: true })
  readonly earlierAttempts: StoredAttempt[] | null = null;

  @Field(() => [DeliveryAttempt], {
    description:
      'Every attempt in its order, also those before a redelivery or a replay; of more than 33 the last. Of attempts before release 1.3 only the last one of a delivery is known.',
  })
  get attempts(): DeliveryAttempt[] {
    const { attemptedAt, url, responseStatus, responseBody, error, durationMs } = this;
    const isAttempt = attemptedAt !== null && this.status !== DeliveryStatus.SKIPPED;
    const last = isAttempt ? [attemptOf({ attemptedAt, url, responseStatus, responseBody, error, durationMs })] : [];
    return [...(this.earlierAttempts ?? []).map(attemptOf), ...last];
  }

  /**
   * Schedules one more attempt at once. If it fails, the usual schedule continues.
   * @throws TestNotRedelivered, DeliveryUnderWay
   */
  redeliver(now: Date): void {
    if (this.sequence === null) throw new TestNotRedelivered(this.id);
    if (this.status === DeliveryStatus.PENDING) throw new DeliveryUnderWay(this.id);
    this.status = DeliveryStatus.PENDING;
    this.nextAttemptAt = now;
  }
}
