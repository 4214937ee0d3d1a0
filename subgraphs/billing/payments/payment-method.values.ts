import { IsOptional, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { isCardNumber } from '../processors/card-number.ts';

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

@InputType({
  description: 'A payment method. It is identified by the token that the payment processor issued for it. Never send card numbers.',
})
// without the value, because it may be a card number
@Rule<PaymentMethodInput>(({ cardToken }) =>
  cardToken && isCardNumber(cardToken)
    ? [{ field: 'cardToken', reason: 'must be a token of the payment processor, not a card number. Never send card numbers to this API' }]
    : [],
)
export class PaymentMethodInput {
  @Field(() => String, {
    nullable: true,
    description:
      'Kind of payment method, such as `credit_card`. The value is ignored, because the payment processor determines the kind from the token.',
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
