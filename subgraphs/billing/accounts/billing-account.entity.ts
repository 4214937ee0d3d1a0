import { Check, Entity, Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { DeliveryPreference } from './delivery-preference.ts';

/**
 * The billing preferences of an account (specification 2.6, 4.5). Until the row of an account exists, the account has the default values of
 * this class.
 */
@ObjectType({ description: 'Billing preferences, balances and payment methods of an account.' })
@Directive('@key(fields: "accountId")')
@Directive('@key(fields: "id")')
@Check({ name: 'billing_account_day_check', expression: `"billing_day" >= 1 and "billing_day" <= 31` })
@Check({ name: 'billing_account_auto_pay_check', expression: `not "auto_pay" or "payment_method_id" is not null` })
@Entity({ tableName: 'billing_account' })
@OrganizationFilter({ account: 'accountId' })
export class BillingAccount {
  @PrimaryKey({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Account that is billed (`acc_…`).' })
  @PrimaryKey({ type: 'text' })
  accountId!: string;

  @Field(() => String, {
    description:
      'ISO 4217 code of the currency of API requests beyond the plan, if the operator has a usage price for them in this currency. Services are billed in the currency of their price. It is fixed after the first generated invoice.',
  })
  @Property({ type: 'text', default: 'USD' })
  currency = 'USD';

  @Field(() => BillingCycle, { description: 'How often services are invoiced if their order does not say it.' })
  @Enum({ items: () => BillingCycle, type: 'text', default: 'monthly' })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;

  @Field(() => Boolean, { description: 'True if invoices are charged to the default payment method on their due date.' })
  @Property({ type: 'boolean', default: false })
  autoPay = false;

  @Field(() => ID, { nullable: true, description: 'Default payment method (`pm_…`). Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  paymentMethodId: string | null = null;

  @Field(() => DeliveryPreference, { description: 'How the account gets its invoices.' })
  @Enum({ items: () => DeliveryPreference, type: 'text', default: 'email' })
  invoiceDelivery: DeliveryPreference = DeliveryPreference.EMAIL;

  @Field(() => Int, {
    nullable: true,
    description:
      'Day of the month on which all services of the account are invoiced, 1 to 31. In a shorter month, its last day. Null if each service has its own day.',
  })
  @Property({ type: 'integer', nullable: true })
  billingDay: number | null = null;

  @Field(() => String, { nullable: true, description: 'Tax number of the customer, for its invoices. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  taxId: string | null = null;

  /** Currency of the account's API requests beyond the plan. Null before the first such request. It never changes. */
  @Property({ type: 'text', nullable: true })
  overageCurrency: string | null = null;

  @Revision()
  revision = 1;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the preferences were last changed. Null if they were never changed.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  updatedAt: Date | null = null;

  /** The account id under the name `id`, because events refer to every record by its field `id`. */
  @Field(() => ID, { description: 'The same as `accountId`.' })
  get id(): string {
    return this.accountId;
  }

  /** Returns the preferences of an account that has not changed any. */
  static defaultsOf(organizationId: string, accountId: string): BillingAccount {
    return Object.assign(new BillingAccount(), { organizationId, accountId });
  }
}
