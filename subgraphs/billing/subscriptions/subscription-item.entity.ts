import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState } from './subscription.states.ts';

const uniqueIn = (state: string): { name: string; expression: string } => ({
  name: `subscription_item_${state}_index`,
  expression: `create unique index "subscription_item_${state}_index" on "billing"."subscription_item" ("organization_id", "service_id") where "state" = '${state}'`,
});

/** A service in a subscription. A live service is in at most one active item; the database keeps this. */
@ObjectType('SubscriptionItem', { description: 'A service in a subscription, and how it is billed.' })
@Entity({ tableName: 'subscription_item' })
@OrganizationFilter({ account: 'accountId' })
@Check({ name: 'subscription_item_price_check', expression: '"price" >= 0' })
@Check({
  name: 'subscription_item_cycle_check',
  expression: `"billing_cycle" in ('monthly', 'quarterly', 'annual')
       and "service_cycle" in ('monthly', 'quarterly', 'annual')`,
})
@Index(uniqueIn('active'))
@Index(uniqueIn('planned'))
@Index({ properties: ['organizationId', 'serviceId', 'createdAt'] })
@Index({ name: 'subscription_item_subscription_index', properties: ['organizationId', 'subscriptionId', 'createdAt'] })
export class SubscriptionItem {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @ManyToOne(() => BillingSubscription, { mapToPk: true, fieldName: 'subscription_id', type: 'text' })
  subscriptionId!: string;

  @Field(() => ID, { description: 'Service that is billed (`svc_…`).' })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service.' })
  @Property({ type: 'text' })
  name!: string;

  /** Category of the service in the catalog. */
  @Property({ type: 'text' })
  category!: string;

  @Enum({ items: () => ItemState, type: 'text' })
  state!: ItemState;

  @Field(() => BillingCycle, { description: 'How often the service is invoiced. A change counts from the next period.' })
  @Property({ type: 'text' })
  billingCycle!: BillingCycle;

  /** Billing cycle of the service itself. It counts when the service returns to the automatic subscription. */
  @Property({ type: 'text' })
  serviceCycle!: BillingCycle;

  @Field(() => Decimal, { description: 'Price of one month, in the currency of the subscription.' })
  @Property({ type: MoneyType })
  price!: Decimal;

  /** When the service got its price. Reports of earlier prices do not change it. */
  @Property({ type: 'datetime', length: 3 })
  pricedAt!: Date;

  @Field(() => Boolean, {
    description: 'False if the item ends with its current period. The automatic subscription then bills the service.',
  })
  @Property({ type: 'boolean' })
  autoRenew!: boolean;

  /** Local date from which all periods are counted, such as `2026-01-31`. */
  @Property({ type: 'text' })
  anchor!: string;

  /** Number of months from the anchor to the end of what is charged. */
  @Property({ type: 'integer', default: 0 })
  months = 0;

  /** Start of the first day that the item bills. */
  @Property({ type: 'datetime', length: 3 })
  startsAt!: Date;

  @Field(() => Date, { nullable: true, description: 'Start of the current period. Null before the first one.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  periodStart: Date | null = null;

  /** End of what is charged: the start of the next period. */
  @Property({ type: 'datetime', length: 3 })
  billedUntil!: Date;

  /** End of the time whose metered usage is billed. */
  @Property({ type: 'datetime', length: 3 })
  meteredUntil!: Date;

  @Field(() => Date, { nullable: true, description: 'When the item ended. Null while it bills its service.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'End of the current period, exclusive. Null before the first one.' })
  get periodEnd(): Date | null {
    return this.periodStart && (this.endedAt ?? this.billedUntil);
  }

  @Field(() => Date, { nullable: true, description: 'Start of the next period that is billed. Null if there is none.' })
  get nextDate(): Date | null {
    return this.state === ItemState.ENDED || (this.periodStart && !this.autoRenew) ? null : this.billedUntil;
  }
}
