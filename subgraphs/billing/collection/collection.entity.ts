import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * State of the automatic payments and reminders for an open invoice. Triggers of the invoice table create and delete the row, and set
 * `overdueAt`. A transaction locks the invoice first, the row of `dunning` second, and this row last.
 */
@Entity({ tableName: 'collection' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['chargeDueAt'] })
@Index({ properties: ['organizationId', 'accountId', 'overdueAt'] })
export class Collection {
  /** Id of the invoice. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  /** End of the day by which the invoice must be paid. */
  @Property({ type: 'datetime', length: 3 })
  overdueAt!: Date;

  /** Number of reminders that were sent to the account about the invoice. */
  @Property({ type: 'integer', default: 0 })
  reminders = 0;

  /** Number of automatic payments that were attempted for the invoice. */
  @Property({ type: 'integer', default: 0 })
  attempts = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  firstAttemptAt: Date | null = null;

  /** Time of the next automatic payment, if the account pays automatically. Null if no further attempt is made. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  chargeDueAt: Date | null = null;
}
