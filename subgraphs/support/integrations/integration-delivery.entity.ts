import { BigIntType } from '@mikro-orm/core';
import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/organization.filter.ts';

export enum IntegrationDeliveryStatus {
  PENDING = 'pending',
  DELIVERED = 'delivered',
  /** There was nothing to tell, such as of a ticket that is no issue. */
  SKIPPED = 'skipped',
  /** The remote does not want this one. */
  REFUSED = 'refused',
  /** It waited so long that nobody wants to read it any more. */
  EXPIRED = 'expired',
}

/** An event that an integration is to be told of: once, in the order of the log. */
@Entity({ tableName: 'integration_delivery' })
@OrganizationFilter()
@Unique({ properties: ['integrationId', 'eventId'] })
@Index({ properties: ['integrationId', 'eventSequence'], where: "status = 'pending'", name: 'integration_delivery_pending_index' })
export class IntegrationDelivery {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  integrationId!: string;

  @Property({ type: 'text' })
  eventId!: string;

  @Property({ type: new BigIntType('number') })
  eventSequence!: number;

  @Property({ type: 'text' })
  event!: string;

  /** The event's envelope; forgotten once there is nothing left to do. */
  @Property({ type: 'text', nullable: true })
  payload: string | null = null;

  @Enum({ items: () => IntegrationDeliveryStatus, type: 'text' })
  status: IntegrationDeliveryStatus = IntegrationDeliveryStatus.PENDING;

  /** Counted when an attempt begins. */
  @Property({ type: 'integer' })
  attempts = 0;

  /** Whether an attempt began of which nobody knows what came. */
  @Property({ type: 'boolean' })
  uncertain = false;

  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  settledAt: Date | null = null;

  settle(status: IntegrationDeliveryStatus, now: Date, error: string | null = null): void {
    this.status = status;
    this.error = error;
    this.settledAt = now;
    this.payload = null;
  }
}
