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

/** A service in a subscription. A database constraint ensures that a live service has at most one active item. */
@ObjectType('SubscriptionItem', { description: 'A service in a subscription, and how it is billed.' })
@Entity({ tableName: 'subscription_item' })
@OrganizationFilter({ account: 'accountId' })
@Check({ name: 'subscription_item_price_check', expression: '"price" >= 0' })
@Check({
  name: 'subscription_item_cycle_check',
  expression: `"billing_cycle" in ('monthly', 'quarterly', 'annual')
       and "service_cycle" in ('monthly', 'quarterly', 'annual')`,
})
@Check({ name: 'subscription_item_late_usage_check', expression: `"late_usage_due_at" is null or "state" = 'ended'` })
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

  @Field(() => ID, {
    description: 'Service that is billed (`svc_…`), or the account (`acc_…`) for usage without a service, such as API requests.',
  })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service, or of the usage without a service.' })
  @Property({ type: 'text' })
  name!: string;

  /** Category of the service in the catalog. */
  @Property({ type: 'text' })
  category!: string;

  @Enum({ items: () => ItemState, type: 'text' })
  state!: ItemState;

  @Field(() => BillingCycle, { description: 'How often the service is invoiced. A change applies from the next period.' })
  @Property({ type: 'text' })
  billingCycle!: BillingCycle;

  /** Billing cycle of the service itself. It applies again after the service returns to the automatic subscription. */
  @Property({ type: 'text' })
  serviceCycle!: BillingCycle;

  @Field(() => Decimal, { description: 'Price of one month, in the currency of the subscription.' })
  @Property({ type: MoneyType })
  price!: Decimal;

  /** Time at which the service got its current price. Events about earlier prices do not change the price. */
  @Property({ type: 'datetime', length: 3 })
  pricedAt!: Date;

  @Field(() => Boolean, {
    description:
      'False if the subscription stops billing the service at the end of its current period. After that, the automatic subscription bills the service.',
  })
  @Property({ type: 'boolean' })
  autoRenew!: boolean;

  /** Local date from which all periods are counted, such as `2026-01-31`. */
  @Property({ type: 'text' })
  anchor!: string;

  /** Number of months from `anchor` to the end of the last charged period. */
  @Property({ type: 'integer', default: 0 })
  months = 0;

  /** Start of the first day that the item bills. */
  @Property({ type: 'datetime', length: 3 })
  startsAt!: Date;

  @Field(() => Date, { nullable: true, description: 'Start of the current period. Null before the first one.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  periodStart: Date | null = null;

  /** End of the last charged period, which is the start of the next period. */
  @Property({ type: 'datetime', length: 3 })
  billedUntil!: Date;

  /** End of the time whose metered usage was billed. */
  @Property({ type: 'datetime', length: 3 })
  meteredUntil!: Date;

  /** Time at which the recurring run bills usage that arrived after the service had ended. Null if no usage is left to bill. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  lateUsageDueAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the subscription stopped billing the service. Null while it bills the service.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** True if the item bills usage of the account itself and not a service (overage.reaction.ts). The price of its periods is 0. */
  get isOfAccount(): boolean {
    return this.serviceId === this.accountId;
  }

  /** Time at which the item must be billed next, without the wait for late usage. Null if nothing is left to bill. */
  get dueAt(): Date | null {
    return this.state === ItemState.ENDED ? this.lateUsageDueAt : this.billedUntil;
  }

  @Field(() => Date, { nullable: true, description: 'End of the current period, exclusive. Null before the first one.' })
  get periodEnd(): Date | null {
    return this.periodStart && (this.endedAt ?? this.billedUntil);
  }

  @Field(() => Date, { nullable: true, description: 'Start of the next period that is billed. Null if there is none.' })
  get nextDate(): Date | null {
    return this.state === ItemState.ENDED || (this.periodStart && !this.autoRenew) ? null : this.billedUntil;
  }
}
