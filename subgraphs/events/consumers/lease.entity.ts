import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The process that relays an outbox, or consumes the log for a consumer. See `Lease` in the kernel. */
@Entity({ tableName: 'lease' })
export class LeaseRow {
  @PrimaryKey({ type: 'text' })
  name!: string;

  /** An id that the process made up when it started. */
  @Property({ type: 'text' })
  holder!: string;

  @Property({ type: 'datetime', length: 3 })
  heldUntil!: Date;
}
