import { Allow, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { PaymentStatus } from './payment.states.ts';
import { PaymentMethodInput } from './payment-method.values.ts';

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

  @Field(() => Decimal, {
    description: 'Amount in the currency of the invoice: greater than 0, and at most the due amount of the invoice.',
  })
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
  @Field(() => Decimal, {
    nullable: true,
    description: 'Amount in the currency of the payment. Default: the amount that was not refunded yet.',
  })
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
