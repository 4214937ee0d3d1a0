import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { type QuoteDecision, QuoteStatus } from './quote.states.ts';

/** A quote: prices of services that are guaranteed until a date (specification 2.5, 4.3). Only the status of a quote can change. */
@ObjectType({ description: 'Prices of services, which are guaranteed until a date.' })
@Entity({ tableName: 'quote' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
export class Quote {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Account that the quote is for (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  /** Decision of the callers: `accepted` when all available lines are ordered, or `rejected`. Null for a pending or expired quote. */
  @Enum({ items: () => [QuoteStatus.ACCEPTED, QuoteStatus.REJECTED], type: 'text', nullable: true })
  decision: QuoteDecision | null = null;

  @Field(() => BillingCycle, { description: 'How often the services are invoiced.' })
  @Enum({ items: () => BillingCycle, type: 'text' })
  billingCycle!: BillingCycle;

  @Field(() => Int, { nullable: true, description: 'Minimum term in months. Null without a term.' })
  @Property({ type: 'integer', nullable: true })
  termMonths: number | null = null;

  @Field(() => Decimal, { description: 'Discount for the term, in percent. The prices include it.' })
  @Property({ type: MoneyType })
  discountPercent!: Decimal;

  @Field(() => Decimal, { description: 'Sum of the monthly prices of the available lines.' })
  @Property({ type: MoneyType })
  monthlyTotal!: Decimal;

  @Field(() => Decimal, { description: 'Sum of the one-time prices of the available lines.' })
  @Property({ type: MoneyType })
  oneTimeTotal!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of all prices, such as USD.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => Date, { description: 'Time until which the services can be ordered at these prices.' })
  @Property({ type: 'datetime', length: 3 })
  validUntil!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  statusAt(now: Date): QuoteStatus {
    if (this.decision) return this.decision;
    return now >= this.validUntil ? QuoteStatus.EXPIRED : QuoteStatus.PENDING;
  }
}
