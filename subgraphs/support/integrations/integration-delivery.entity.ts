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
  description:
    '`PENDING`: to be sent, or tried again after a failure that `error` tells. `DELIVERED`: the remote has taken it. `SKIPPED`: there was nothing to tell, such as of a ticket that is no issue. `REFUSED`: the remote does not want this one; `error` says why. `EXPIRED`: it waited so long that it is not sent any more.',
});

/** The delivery of one event to one integration. There is one per event, processed in the order of the event log. */
@ObjectType({ description: 'One event on its way to one integration, and what came of it. Kept for 30 days at least.' })
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

  @Field(() => ID)
  @Property({ type: 'text' })
  integrationId!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  eventId!: string;

  @Property({ type: new BigIntType('number') })
  eventSequence!: number;

  @Field(() => String, { description: 'The name of the event.' })
  @Property({ type: 'text' })
  event!: string;

  /** JSON text of the event. Deleted when the delivery is finished. */
  @Property({ type: 'text', nullable: true })
  payload: string | null = null;

  /** Trace context of the request that caused the event. */
  @Property({ type: 'text', nullable: true })
  traceparent: string | null = null;

  @Field(() => IntegrationDeliveryStatus)
  @Enum({ items: () => IntegrationDeliveryStatus, type: 'text' })
  status: IntegrationDeliveryStatus = IntegrationDeliveryStatus.PENDING;

  @Field(() => Int, { description: 'How many attempts began.' })
  @Property({ type: 'integer' })
  attempts = 0;

  /** Whether an attempt was started whose result is unknown. */
  @Property({ type: 'boolean' })
  uncertain = false;

  @Field(() => String, { nullable: true, description: 'What went wrong last, in words of the remote or of the connection.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Date, { description: 'When it was planned.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was decided what came of it; null while it is pending.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  settledAt: Date | null = null;

  finish(status: IntegrationDeliveryStatus, now: Date, error: string | null = null): void {
    this.status = status;
    this.error = error;
    this.settledAt = now;
    this.payload = null;
  }
}
