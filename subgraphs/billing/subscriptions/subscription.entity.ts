import { Check, Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';

/** Services of an account that are billed regularly and together (specification 4.5). Its items are separate records. */
@ObjectType('BillingSubscription', { description: 'Services of an account that are billed regularly, on common invoices.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'subscription' })
@OrganizationFilter({ account: 'accountId' })
@Check({ name: 'subscription_end_check', expression: `("status" = 'cancelled') = ("end_date" is not null)` })
@Index({
  name: 'subscription_automatic_index',
  expression: `create unique index "subscription_automatic_index" on "billing"."subscription" ("organization_id", "account_id", "currency") where "kind" = 'automatic' and "status" = 'active'`,
})
@Index({ properties: ['billDueAt'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt', 'id'] })
export class BillingSubscription {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Account that is billed (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => SubscriptionKind, { description: 'How the subscription came to be.' })
  @Enum({ items: () => SubscriptionKind, type: 'text' })
  kind!: SubscriptionKind;

  @Field(() => SubscriptionStatus, { description: 'Current state.' })
  @Enum({ items: () => SubscriptionStatus, type: 'text', default: SubscriptionStatus.ACTIVE })
  status: SubscriptionStatus = SubscriptionStatus.ACTIVE;

  @Field(() => String, { description: 'ISO 4217 code of all prices and invoices, such as USD.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Payment method for its invoices (`pm_…`). Null: the payment method of the account.',
  })
  @Property({ type: 'text', nullable: true })
  paymentMethodId: string | null = null;

  @Field(() => Date, { description: 'Start of the first day that the subscription bills, in the time zone of the account.' })
  @Property({ type: 'datetime', length: 3 })
  startDate!: Date;

  @Field(() => Date, { nullable: true, description: 'When a cancelled subscription ends, or has ended. Null while it is active.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  endDate: Date | null = null;

  /** Time at which the recurring run must process the subscription. Null if it has nothing to bill. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  billDueAt: Date | null = null;

  @Revision({ byHand: true })
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Increments the revision, because fields that callers see have changed. */
  revise(now: Date): void {
    this.revision += 1;
    this.updatedAt = now;
  }

  /** Cancels the subscription as of `end`. */
  cancel(end: Date, now: Date): void {
    Object.assign(this, { status: SubscriptionStatus.CANCELLED, endDate: end });
    this.revise(now);
  }

  /** Undoes a cancellation that has not taken effect. */
  resume(now: Date): void {
    Object.assign(this, { status: SubscriptionStatus.ACTIVE, endDate: null });
    this.revise(now);
  }
}
