import { BigIntType } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

export enum IntegrationDeliveryStatus {
  PENDING = 'pending',
  DELIVERED = 'delivered',
  SKIPPED = 'skipped',
  REFUSED = 'refused',
  EXPIRED = 'expired',
}
registerEnumType(IntegrationDeliveryStatus, {
  name: 'IntegrationDeliveryStatus',
  description: 'Result of sending an event to an integration.',
  valuesConfig: {
    PENDING: { description: 'Waiting to be sent, or to be retried after the failure in `error`.' },
    DELIVERED: { description: 'Accepted by the remote system.' },
    SKIPPED: { description: 'There was nothing to send, such as for a ticket without an issue.' },
    REFUSED: { description: 'Rejected by the remote system. `error` contains the reason.' },
    EXPIRED: { description: 'Waited too long and is no longer sent.' },
  },
});

/**
 * The delivery of one event to one integration. The deliveries of an integration are processed in the order of the
 * event log.
 */
@ObjectType({ description: 'An event for one integration, and its result. Kept for at least 30 days.' })
@Entity({ tableName: 'integration_delivery' })
@OrganizationFilter()
@Unique({ properties: ['integrationId', 'eventId'] })
@Index({ properties: ['integrationId', 'createdAt', 'id'] })
@Index({ properties: ['integrationId', 'eventSequence'], where: "status = 'pending'", name: 'integration_delivery_pending_index' })
export class IntegrationDelivery {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Integration that the event is for (`intg_…`).' })
  @Property({ type: 'text' })
  integrationId!: string;

  @Field(() => ID, { description: 'Id of the event (`evt_…`).' })
  @Property({ type: 'text' })
  eventId!: string;

  @Property({ type: new BigIntType('number') })
  eventSequence!: number;

  @Field(() => String, { description: 'Name of the event, such as `ticket.created`.' })
  @Property({ type: 'text' })
  event!: string;

  /** JSON text of the event. Deleted when the delivery is finished. */
  @Property({ type: 'text', nullable: true })
  payload: string | null = null;

  /** Trace context of the request that caused the event. */
  @Property({ type: 'text', nullable: true })
  traceparent: string | null = null;

  @Field(() => IntegrationDeliveryStatus, { description: 'Result so far.' })
  @Enum({ items: () => IntegrationDeliveryStatus, type: 'text' })
  status: IntegrationDeliveryStatus = IntegrationDeliveryStatus.PENDING;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  @Property({ type: 'integer' })
  attempts = 0;

  /** True while an attempt is running, and if the result of the latest attempt is unknown. */
  @Property({ type: 'boolean' })
  uncertain = false;

  @Field(() => String, {
    nullable: true,
    description: 'Latest error message of the remote system or the connection. Null if there was none.',
  })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Date, { description: 'When the delivery was created.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the final result was recorded. Null while it is pending.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  settledAt: Date | null = null;

  finish(status: IntegrationDeliveryStatus, now: Date, error: string | null = null): void {
    this.status = status;
    this.error = error;
    this.settledAt = now;
    this.payload = null;
  }
}
