import { IsOptional, Matches, Max, Min } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { DeliveryPreference } from '../accounts/delivery-preference.ts';

const MAX_TAX_ID = 50;
const DAY_REASON = 'must be between 1 and 31';

@InputType({ description: 'New billing preferences of an account. Omit a field to keep its value.' })
export class BillingPreferencesUpdateInput {
  @Field(() => BillingCycle, {
    nullable: true,
    description:
      'How often services are invoiced if their order does not state it. A change applies only to services that are ordered later.',
  })
  @NotNull()
  billingCycle?: BillingCycle;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to charge invoices to the default payment method on their due date. The default payment method must be chargeable more than once.',
  })
  @NotNull()
  autoPay?: boolean;

  @Field(() => ID, {
    nullable: true,
    description: 'Default payment method of the account (`pm_…`). It must be chargeable more than once. Null removes it.',
  })
  @IsOptional()
  @Matches(/^pm_\w+$/, { message: 'must be the id of a payment method (pm_…)' })
  paymentMethodId?: string | null;

  @Field(() => DeliveryPreference, { nullable: true, description: 'How the account gets its invoices.' })
  @NotNull()
  invoiceDelivery?: DeliveryPreference;

  @Field(() => String, {
    nullable: true,
    description:
      'ISO 4217 code of the currency of API requests beyond the plan, if the operator has a usage price for them in this currency. Services are billed in the currency of their price. It is fixed after the first generated invoice.',
  })
  @NotNull()
  @IsCurrency()
  currency?: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Day of the month on which all services of the account are invoiced, 1 to 31. In a shorter month, its last day. Null if each service has its own day.',
  })
  @IsOptional()
  @Min(1, { message: DAY_REASON })
  @Max(31, { message: DAY_REASON })
  billingDay?: number | null;

  @Field(() => String, {
    nullable: true,
    description: `Tax number of the customer, for its invoices, 1 to ${MAX_TAX_ID} characters. Null removes it.`,
  })
  @IsOptional()
  @Characters(1, MAX_TAX_ID)
  taxId?: string | null;
}
