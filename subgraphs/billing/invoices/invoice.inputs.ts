import { Allow, ArrayMaxSize, ArrayMinSize, IsIn, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { BillingContext } from '../context.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { DEFAULT_CURRENCY, pricingProblems } from './invoice-pricing.ts';

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000_000;
const MAX_NOTES = 5000;

@InputType({ description: 'One line of a new invoice.' })
export class InvoiceLineInput {
  @Field(() => ID, { description: 'Service of the account (`svc_…`).' })
  @Matches(/^svc_\w+$/, { message: 'must be a service id (svc_…)' })
  serviceId!: string;

  @Field(() => Int, { description: `Number of units, 1 to ${MAX_QUANTITY}.` })
  @Min(1, { message: `must be between 1 and ${MAX_QUANTITY}` })
  @Max(MAX_QUANTITY, { message: `must be between 1 and ${MAX_QUANTITY}` })
  quantity!: number;

  @Field(() => Decimal, { description: 'Price of one unit. At least 0, with no more decimal places than the currency has.' })
  @Allow(jsonSchema({ minimum: 0 }))
  unitPrice!: Decimal;
}

@InputType({ description: 'Invoice to create.' })
@Rule<InvoiceCreateInput>(({ services, currency }) => pricingProblems(services ?? [], currency ?? DEFAULT_CURRENCY))
// the rule accepts times before now on the current day, because a date without a time means midnight
@Rule<InvoiceCreateInput, BillingContext>(({ dueDate }, { clock }) =>
  dueDate && dueDate < dayStart(clock.now()) ? [{ field: 'dueDate', value: dueDate, reason: 'must not be in the past' }] : [],
)
export class InvoiceCreateInput {
  @Field(() => ID, { description: 'Account to bill (`acc_…`).' })
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId!: string;

  @Field(() => [InvoiceLineInput], { description: `Lines of the invoice, in order: 1 to ${MAX_LINES}.` })
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_LINES} items` })
  @ArrayMaxSize(MAX_LINES, { message: `must have 1 to ${MAX_LINES} items` })
  @ValidateNested({ each: true })
  services!: InvoiceLineInput[];

  @Field(() => String, {
    nullable: true,
    description:
      'ISO 4217 code of the currency of the prices. Default: USD. Codes that are not currencies, such as XAU (gold), are refused.',
  })
  @IsOptional()
  @IsCurrency()
  currency?: string | null;

  @Field(() => Date, { nullable: true, description: 'Day by which the invoice must be paid: today or later. Default: in 30 days.' })
  dueDate?: Date | null;

  @Field(() => String, { nullable: true, description: `Free text of the invoice, at most ${MAX_NOTES} characters.` })
  @IsOptional()
  @MaxCharacters(MAX_NOTES)
  notes?: string | null;
}

@InputType({ description: 'New values of an invoice. Omit a field to keep its value.' })
@Rule<InvoiceUpdateInput, BillingContext>(({ dueDate }, { clock }) =>
  dueDate && dueDate < dayStart(clock.now()) ? [{ field: 'dueDate', value: dueDate, reason: 'must not be in the past' }] : [],
)
export class InvoiceUpdateInput {
  @Field(() => InvoiceStatus, {
    nullable: true,
    description:
      'Only `cancelled` is accepted: it withdraws an invoice of which nothing was paid. The platform sets the other states, according to payments and the due date.',
  })
  @NotNull()
  @IsIn([InvoiceStatus.CANCELLED], { message: 'must be cancelled; other states follow from payments and from the due date' })
  status?: InvoiceStatus;

  @Field(() => Date, { nullable: true, description: 'Day by which the invoice must be paid: today or later.' })
  @NotNull()
  dueDate?: Date;

  @Field(() => String, { nullable: true, description: `Free text, at most ${MAX_NOTES} characters. Null removes it.` })
  @IsOptional()
  @MaxCharacters(MAX_NOTES)
  notes?: string | null;

  @Field(() => [InvoiceLineInput], {
    nullable: true,
    description: `All lines of the invoice, in order: 1 to ${MAX_LINES}. They replace all existing lines. Lines can be changed only if a request created the invoice, it is pending and was not sent yet, and nothing was paid.`,
  })
  @NotNull()
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_LINES} items` })
  @ArrayMaxSize(MAX_LINES, { message: `must have 1 to ${MAX_LINES} items` })
  @ValidateNested({ each: true })
  services?: InvoiceLineInput[];
}

@InputType({ description: 'Why an invoice is written off.' })
export class WriteOffInput {
  @Field(() => String, { description: 'Reason, 1 to 500 characters.' })
  @Name(500)
  reason!: string;
}

@InputType({ description: 'Conditions for a list of invoices. An invoice must meet all of them.' })
@Rule<InvoiceFilter>(({ dateFrom, dateTo }) =>
  dateFrom && dateTo && dateFrom > dateTo
    ? [{ field: 'dateTo', value: dateTo, reason: 'must not be before the beginning of the period' }]
    : [],
)
export class InvoiceFilter {
  @Field(() => [ID], { nullable: true })
  accountId?: string[] | null;

  @Field(() => [InvoiceStatus], { nullable: true })
  status?: InvoiceStatus[] | null;

  @Field(() => Date, { nullable: true, description: 'Only invoices created at this time or later.' })
  dateFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only invoices created before this time.' })
  dateTo?: Date | null;
}

export enum InvoiceSortField {
  CREATED_AT = 'createdAt',
  DUE_DATE = 'dueDate',
  AMOUNT = 'amount',
  STATUS = 'status',
}
export const InvoiceSort = sortOf('Invoice', InvoiceSortField, {
  DUE_DATE: 'Day by which the invoice must be paid.',
  AMOUNT: 'Sum of all lines, regardless of the currency.',
});
