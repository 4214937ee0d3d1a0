import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { PaymentMethodStatus } from './payment-method.states.ts';

@ObjectType({ description: 'Address of the holder of a payment method.' })
export class BillingAddress {
  @Field(() => String, { nullable: true, description: 'Street and number.' })
  street?: string | null;

  @Field(() => String, { nullable: true, description: 'City or town of the address.' })
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'State or region.' })
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  zip?: string | null;

  @Field(() => String, { nullable: true, description: 'Country, such as US.' })
  country?: string | null;
}

/** A payment method of an account, such as a card. The payment processor stores the card number; the platform stores only a reference. */
@ObjectType({ description: 'A payment method of an account, such as a card. The platform never has its number.' })
@Entity({ tableName: 'payment_method' })
@OrganizationFilter({ account: 'accountId' })
@Index({
  name: 'payment_method_reference_index',
  expression:
    'create unique index "payment_method_reference_index" on "billing"."payment_method" ("organization_id", "account_id", "processor", "reference")',
})
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
export class PaymentMethod {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => PaymentMethodStatus, { description: 'Whether the method can be charged.' })
  @Enum({ items: () => PaymentMethodStatus, type: 'text', default: 'active' })
  status: PaymentMethodStatus = PaymentMethodStatus.ACTIVE;

  /** Name of the processor that has the method. Only this processor can charge it. */
  @Property({ type: 'text' })
  processor!: string;

  /** Id of the payment method at the payment processor. */
  @Property({ type: 'text' })
  reference!: string;

  @Field(() => String, { description: 'Kind of payment method, such as `card`.' })
  @Property({ type: 'text' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'Brand of a card, such as `visa`. Null for other methods.' })
  @Property({ type: 'text', nullable: true })
  brand: string | null = null;

  @Field(() => String, { nullable: true, description: 'Last four digits of the number. Null if there is no number.' })
  @Property({ type: 'text', nullable: true })
  last4: string | null = null;

  @Field(() => Int, { nullable: true, description: 'Month in which the method expires, 1 to 12. Null if it does not expire.' })
  @Property({ type: 'integer', nullable: true })
  expiresMonth: number | null = null;

  @Field(() => Int, { nullable: true, description: 'Year in which the method expires. Null if it does not expire.' })
  @Property({ type: 'integer', nullable: true })
  expiresYear: number | null = null;

  @Field(() => Boolean, { description: 'True if the method can be charged more than once.' })
  @Property({ type: 'boolean' })
  reusable!: boolean;

  /** Fingerprint of the card. Payment methods with the same card have the same fingerprint, even if they were attached separately. */
  @Property({ type: 'text', nullable: true })
  fingerprint: string | null = null;

  @Field(() => BillingAddress, { nullable: true, description: 'Address of the holder. Null if none was sent.' })
  @Property({ type: 'json', nullable: true })
  billingAddress: BillingAddress | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
