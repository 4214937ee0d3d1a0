import { IsOptional, Matches, Min, ValidateBy, type ValidationArguments } from 'class-validator';
import { Field, ID, Int } from 'type-graphql';

export const NEEDS_QUOTE = 'needs the id of the quote that has this line';

const hasQuote = (_: unknown, args?: ValidationArguments): boolean =>
  typeof (args?.object as { quoteId?: unknown } | undefined)?.quoteId === 'string';

/** Declares the field `quoteId` of an input that orders a service. */
export const QuoteIdField =
  (description = 'Quote whose price is used (`quote_…`). One of its lines must match the order.'): PropertyDecorator =>
  (target, name) => {
    Field(() => ID, { nullable: true, description })(target, name);
    IsOptional()(target, name);
    Matches(/^quote_\w+$/, { message: 'must be a quote id (quote_…)' })(target, name);
  };

/** Declares the field `quoteLine` of an input that orders a service. Without its quote, the line would be ignored. */
export const QuoteLineField =
  (
    description = 'Position of the line of the quote, from 0. It needs `quoteId`. Default: the first line of the ordered service that is not ordered yet.',
  ): PropertyDecorator =>
  (target, name) => {
    OptionalQuoteLineField(description)(target, name);
    ValidateBy({ name: 'needsQuote', validator: { validate: hasQuote } }, { message: NEEDS_QUOTE })(target, name);
  };

/** Declares the field `quoteLine` of an input that changes an order whose quote may be stored already. */
export const OptionalQuoteLineField =
  (description: string): PropertyDecorator =>
  (target, name) => {
    Field(() => Int, { nullable: true, description })(target, name);
    IsOptional()(target, name);
    Min(0, { message: 'must be at least 0' })(target, name);
  };
