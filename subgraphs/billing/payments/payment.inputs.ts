import { Allow, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { isCardNumber } from '../processors/card-number.ts';
import { PaymentStatus } from './payment.states.ts';

const MAX_TOKEN = 200;

@InputType({ description: 'Address of the holder of a payment method.' })
export class BillingAddressInput {
  @Field(() => String, { nullable: true, description: 'Street and number.' })
  @IsOptional()
  @MaxCharacters(200)
  street?: string | null;

  @Field(() => String, { nullable: true, description: 'City or town of the address.' })
  @IsOptional()
  @MaxCharacters(100)
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'State or region.' })
  @IsOptional()
  @MaxCharacters(100)
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  @IsOptional()
  @MaxCharacters(20)
  zip?: string | null;

  @Field(() => String, { nullable: true, description: 'Country, such as US.' })
  @IsOptional()
  @MaxCharacters(100)
  country?: string | null;
}

@InputType({ description: 'A payment method, by the token that the payment processor issued for it. Never send card numbers.' })
// without the value, because it may be a card number
@Rule<PaymentMethodInput>(({ cardToken }) =>
  cardToken && isCardNumber(cardToken)
    ? [{ field: 'cardToken', reason: 'must be a token of the payment processor, not a card number. Never send card numbers to this API' }]
    : [],
)
export class PaymentMethodInput {
  @Field(() => String, {
    nullable: true,
    description: 'Kind of payment method, such as `credit_card`. The payment processor knows it from the token.',
  })
  @IsOptional()
  @MaxCharacters(50)
  type?: string | null;

  @Field(() => String, { description: `Token, such as \`tok_visa\`. 1 to ${MAX_TOKEN} characters.` })
  @Characters(1, MAX_TOKEN)
  cardToken!: string;

  @Field(() => BillingAddressInput, { nullable: true, description: 'Address of the holder.' })
  @IsOptional()
  @ValidateNested()
  billingAddress?: BillingAddressInput | null;
}

@InputType({ description: 'Payment to make. It has either `paymentMethod` or `paymentMethodId`.' })
@Rule<PaymentInput>(({ paymentMethod, paymentMethodId }) =>
  Boolean(paymentMethod) === Boolean(paymentMethodId)
    ? [{ field: 'paymentMethod', reason: 'is required, unless you send `paymentMethodId`; do not send both' }]
    : [],
)
@Rule<PaymentInput>(({ amount }) =>
  amount && !amount.greaterThan(0) ? [{ field: 'amount', value: amount, reason: 'must be greater than 0' }] : [],
)
export class PaymentInput {
  @Field(() => ID, { description: 'Invoice to pay (`inv_…`).' })
  @Matches(/^inv_\w+$/, { message: 'must be an invoice id (inv_…)' })
  invoiceId!: string;

  @Field(() => Decimal, { description: 'Amount in the currency of the invoice: greater than 0, and at most what is due.' })
  @Allow(jsonSchema({ exclusiveMinimum: 0 }))
  amount!: Decimal;

  @Field(() => PaymentMethodInput, { nullable: true, description: 'Payment method to charge.' })
  @IsOptional()
  @ValidateNested()
  paymentMethod?: PaymentMethodInput | null;

  @Field(() => ID, { nullable: true, description: 'Id of a payment method that the account has used before (`pm_…`).' })
  @IsOptional()
  @Matches(/^pm_\w+$/, { message: 'must be the id of a payment method (pm_…)' })
  paymentMethodId?: string | null;
}

@InputType({ description: 'Refund to make.' })
@Rule<RefundInput>(({ amount }) =>
  amount && !amount.greaterThan(0) ? [{ field: 'amount', value: amount, reason: 'must be greater than 0' }] : [],
)
export class RefundInput {
  @Field(() => Decimal, { nullable: true, description: 'Amount in the currency of the payment. Default: all that was not refunded yet.' })
  @IsOptional()
  @Allow(jsonSchema({ exclusiveMinimum: 0 }))
  amount?: Decimal | null;

  @Field(() => String, { nullable: true, description: 'Reason, at most 500 characters.' })
  @IsOptional()
  @MaxCharacters(500)
  reason?: string | null;
}

@InputType({ description: 'Conditions for a list of payments. A payment must meet all of them.' })
@Rule<PaymentFilter>(({ dateFrom, dateTo }) =>
  dateFrom && dateTo && dateFrom > dateTo
    ? [{ field: 'dateTo', value: dateTo, reason: 'must not be before the beginning of the period' }]
    : [],
)
export class PaymentFilter {
  @Field(() => [ID], { nullable: true })
  accountId?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only payments of these invoices.' })
  invoiceId?: string[] | null;

  @Field(() => [PaymentStatus], { nullable: true })
  status?: PaymentStatus[] | null;

  @Field(() => Date, { nullable: true, description: 'Only payments made at this time or later.' })
  dateFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only payments made before this time.' })
  dateTo?: Date | null;
}
