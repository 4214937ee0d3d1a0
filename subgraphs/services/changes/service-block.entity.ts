import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * Whether the provider blocks a service, and the newest order to block or unblock it. A row exists for each service that was suspended at
 * least once. A trigger creates the row and sets `dueAt` when a suspension begins or ends.
 */
@Entity({ tableName: 'service_block' })
@OrganizationFilter({ account: { by: 'id', of: 'Service' } })
@Index({
  name: 'service_block_due_index',
  expression: 'create index "service_block_due_index" on "services"."service_block" ("due_at") where "due_at" is not null',
})
export class ServiceBlock {
  /** Id of the service. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  /** True if the provider has blocked the service. It does not change before the provider has completed an order. */
  @Property({ type: 'boolean', default: false })
  isBlocked = false;

  /** True if the newest order may be in progress at the provider. It unblocks a blocked service, and blocks any other service. */
  @Property({ type: 'boolean', default: false })
  isOpen = false;

  /** Number of the newest order. 0 if there is none. */
  @Property({ type: 'integer', default: 0 })
  orderNumber = 0;

  /** Number of failed attempts since the last completed order. */
  @Property({ type: 'integer', default: 0 })
  failures = 0;

  /** Time at which the provider must be asked again. Null if the provider is in the wanted state. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /** Idempotency key of the newest order. */
  get orderId(): string {
    return `${this.id}/block-${this.orderNumber}`;
  }

  /** Begins the next order. Does nothing if the newest order is open. */
  open(): void {
    if (!this.isOpen) this.orderNumber += 1;
    this.isOpen = true;
  }

  /** Stores that the provider has completed the open order. */
  complete(): void {
    this.isBlocked = !this.isBlocked;
    this.isOpen = false;
    this.failures = 0;
  }
}
