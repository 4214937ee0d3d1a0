import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BulkItemStatus } from './bulk.states.ts';
import { BulkItemError } from './bulk.values.ts';

/**
 * A bulk item: the operation on one service of a bulk. A transaction that changes an item must first lock the bulk. The item itself is not
 * locked.
 */
@ObjectType({ description: 'An item of a bulk: one service to order or to change.' })
@Entity({ tableName: 'bulk_item' })
@OrganizationFilter({ account: { by: 'bulkId', of: 'Bulk' } })
@Index({ properties: ['organizationId', 'bulkId', 'position'] })
export class BulkItem {
  /** Id of the item: the id of the bulk and the position in the bulk, such as `bulk_…/3`. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  bulkId!: string;

  @Field(() => Int, { description: 'Position of the item in the request, from 0.' })
  @Property({ type: 'integer' })
  position!: number;

  @Field(() => BulkItemStatus, { description: 'Current state of the item.' })
  @Enum({ items: () => BulkItemStatus, type: 'text' })
  status: BulkItemStatus = BulkItemStatus.PENDING;

  @Field(() => ID, { nullable: true, description: 'Service of the item (`svc_…`). Null if it could not be ordered.' })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Change of the service (`order_…`). Null if nothing had to be changed.' })
  @Property({ type: 'text', nullable: true })
  changeId: string | null = null;

  @Field(() => BulkItemError, { nullable: true, description: 'Reason why the item failed. Null for other items.' })
  @Property({ type: 'json', nullable: true })
  error: BulkItemError | null = null;

  /** False if no event contains the current state of the item. */
  @Property({ type: 'boolean' })
  reported = false;

  /** Moves the item to another state. */
  moveTo(status: BulkItemStatus, error: BulkItemError | null = null): void {
    if (this.status === status) return;
    this.status = status;
    this.error = error;
    this.reported = false;
  }
}
