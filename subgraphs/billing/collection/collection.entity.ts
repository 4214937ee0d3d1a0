import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * What is done so that an open invoice is paid. Triggers of the table of invoices create and delete the row, and set
 * `overdueAt`. A transaction locks the invoice first, then `dunning`, then this row.
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

  /** Number of reminders that the account got about the invoice. */
  @Property({ type: 'integer', default: 0 })
  reminders = 0;

  /** Number of automatic payments that were tried. */
  @Property({ type: 'integer', default: 0 })
  attempts = 0;

  @Property({ type: 'datetime', length: 3, nullable: true })
  firstAttemptAt: Date | null = null;

  /** When the invoice is charged next, if the account pays automatically. Null if there is no further attempt. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  chargeDueAt: Date | null = null;
}
