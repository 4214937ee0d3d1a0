import { Check, Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import type { LineKind } from '../invoices/line-kind.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/**
 * A charge of an item for a part of a period, at one price. The charges of an item do not overlap. A charge is pending until a run bills
 * it. A later change of the price shortens it; if the charge was already invoiced, the unused part is credited.
 */
@Entity({ tableName: 'subscription_charge' })
@OrganizationFilter({ account: 'accountId' })
@Check({ name: 'subscription_charge_kind_check', expression: `"kind" in ('recurring', 'proration')` })
@Check({ name: 'subscription_charge_price_check', expression: '"price" >= 0 and "months" > 0' })
@Check({
  name: 'subscription_charge_part_check',
  expression: '"period_start" <= "from_at" and "from_at" < "to_at" and "to_at" <= "period_end"',
})
@Check({
  name: 'subscription_charge_line_check',
  expression: `("invoice_id" is null) = ("position" is null)
       and ("invoice_id" is null or "billed_at" is not null)`,
})
@Unique({ name: 'subscription_charge_part_index', properties: ['organizationId', 'itemId', 'fromAt'] })
@Index({ name: 'subscription_charge_end_index', properties: ['organizationId', 'itemId', 'toAt'] })
@Index({
  name: 'subscription_charge_pending_index',
  expression:
    'create index "subscription_charge_pending_index" on "billing"."subscription_charge" ("organization_id", "subscription_id") where "billed_at" is null',
})
export class SubscriptionCharge {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @Property({ type: 'text' })
  subscriptionId!: string;

  @ManyToOne(() => SubscriptionItem, { mapToPk: true, fieldName: 'item_id', type: 'text' })
  itemId!: string;

  @Property({ type: 'text' })
  kind!: LineKind.RECURRING | LineKind.PRORATION;

  /** Price of the service for one month. */
  @Property({ type: MoneyType })
  price!: Decimal;

  /** Number of monthly prices in the price of the whole period. */
  @Property({ type: 'integer' })
  months!: number;

  /** Time at which the service got this price. */
  @Property({ type: 'datetime', length: 3 })
  pricedAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  @Property({ type: 'datetime', length: 3 })
  periodEnd!: Date;

  /** Start of the charged part of the period. */
  @Property({ type: 'datetime', length: 3 })
  fromAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  toAt!: Date;

  /** IANA name of the time zone in which the length of the charged part is measured. */
  @Property({ type: 'text' })
  timezone!: string;

  /** Time at which the charge was billed. Null while it is pending. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  billedAt: Date | null = null;

  /** The invoice with the charge, and the position of its line. Null while it is pending, or if there was nothing to pay. */
  @ManyToOne(() => Invoice, { mapToPk: true, nullable: true, fieldName: 'invoice_id', type: 'text', deleteRule: 'restrict' })
  invoiceId: string | null = null;

  @Property({ type: 'integer', nullable: true })
  position: number | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
