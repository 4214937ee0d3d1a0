import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal, isPayable, minorDigits } from '../../../kernel/values/money.ts';
import { CreditCause } from './credit-note.states.ts';

const MAX_LINES = 100;
const MAX_POSITION = 1_000_000;
const MAX_GOODWILL = 1_000_000_000;

@InputType({ description: 'Amount to give back for one line of an invoice.' })
export class CreditLineInput {
  @Field(() => Int, { description: 'Position of the line on the invoice, starting at 0.' })
  @Min(0, { message: 'must be at least 0' })
  @Max(MAX_POSITION, { message: `must be at most ${MAX_POSITION}` })
  position!: number;

  @Field(() => Decimal, {
    description: 'Net amount: greater than 0, and at most the part of the line that no credit note has given back yet.',
  })
  @Allow(jsonSchema({ exclusiveMinimum: 0 }))
  net!: Decimal;
}

@InputType({ description: 'Credit note to issue.' })
export class CreditNoteInput {
  @Field(() => ID, { description: 'Invoice to correct (`inv_…`).' })
  @Matches(/^inv_\w+$/, { message: 'must be an invoice id (inv_…)' })
  invoiceId!: string;

  @Field(() => [CreditLineInput], {
    nullable: true,
    description: `1 to ${MAX_LINES} lines. Default: all lines, with everything that no credit note has given back yet.`,
  })
  @IsOptional()
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_LINES} items` })
  @ArrayMaxSize(MAX_LINES, { message: `must have 1 to ${MAX_LINES} items` })
  @ValidateNested({ each: true })
  lines?: CreditLineInput[] | null;

  @Field(() => String, { nullable: true, description: 'Reason as the customer sees it, at most 500 characters.' })
  @IsOptional()
  @MaxCharacters(500)
  reason?: string | null;
}

@InputType({ description: 'Credit to give to an account without an invoice.' })
@Rule<CreditInput>(({ amount, currency }) => {
  if (!amount) return [];
  const isInRange = amount.greaterThan(0) && !amount.greaterThan(MAX_GOODWILL);
  if (!isInRange) return [{ field: 'amount', value: amount, reason: `must be greater than 0 and at most ${MAX_GOODWILL}` }];
  if (!currency || isPayable(amount, currency)) return [];
  return [{ field: 'amount', value: amount, reason: `must have at most ${minorDigits(currency)} decimals in ${currency}` }];
})
export class CreditInput {
  @Field(() => Decimal, {
    description: `Amount: greater than 0, at most ${MAX_GOODWILL}, with no more decimal places than the currency has.`,
  })
  @Allow(jsonSchema({ exclusiveMinimum: 0, maximum: MAX_GOODWILL }))
  amount!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code, such as USD. The credit pays only invoices in this currency.' })
  @IsCurrency()
  currency!: string;

  @Field(() => String, { description: 'Reason as the customer sees it, 1 to 500 characters.' })
  @Name(500)
  reason!: string;
}

@InputType({ description: 'Conditions for a list of credit notes. A credit note must meet all of them.' })
@Rule<CreditNoteFilter>(({ dateFrom, dateTo }) =>
  dateFrom && dateTo && dateFrom > dateTo
    ? [{ field: 'dateTo', value: dateTo, reason: 'must not be before the beginning of the period' }]
    : [],
)
export class CreditNoteFilter {
  @Field(() => [ID], { nullable: true })
  accountId?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only credit notes for these invoices.' })
  invoiceId?: string[] | null;

  @Field(() => [CreditCause], { nullable: true, description: 'Only credit notes with these causes.' })
  cause?: CreditCause[] | null;

  @Field(() => Date, { nullable: true, description: 'Only credit notes issued at this time or later.' })
  dateFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only credit notes issued before this time.' })
  dateTo?: Date | null;
}
