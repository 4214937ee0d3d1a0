import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { InvalidDuration, parseDuration } from '../../../kernel/values/durations.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { PartialLocation } from '../coverage/location.ts';

export const MAX_LINES = 100;
const MAX_USERS = 100_000;
const MAX_MONTHS = 120;
const TERM_PATTERN = '^(([1-9]|[1-9][0-9]|1[01][0-9]|120)[ _]months?|([1-9]|10)[ _]years?)$';

/** Fields of one service in a request for a quote. */
@InputType()
abstract class QuotedServiceInput {
  @Field(() => String, {
    nullable: true,
    description: 'Bandwidth from the catalog, such as 500mbps or 1gbps, if the service is sold by bandwidth.',
  })
  @IsOptional()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => [String], { nullable: true, description: 'Features from the catalog that are included, such as `static_ip`. At most 50.' })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;
}

@InputType({ description: 'One service of a quote.' })
export class QuoteLineInput extends QuotedServiceInput {
  @Field(() => String, { description: 'Id of a catalog entry, such as `business_fiber`, or its service type, such as `fiber`.' })
  @Characters(1, 100)
  type!: string;

  @Field(() => PartialLocation, {
    nullable: true,
    description: 'Place where the service is built. Default: the price is quoted without a check of the place.',
  })
  @IsOptional()
  @ValidateNested()
  location?: PartialLocation | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of billed units, such as users of a phone system or sites of a network. Default: the smallest number that can be ordered, such as 2 sites of a network, otherwise 1.',
  })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${MAX_USERS}` })
  @Max(MAX_USERS, { message: `must be between 1 and ${MAX_USERS}` })
  users?: number | null;
}

@InputType({ description: 'How the services of a quote are invoiced.' })
@Rule<BillingPreferencesInput>(({ term }) => termProblems(term))
export class BillingPreferencesInput {
  @Field(() => BillingCycle, {
    nullable: true,
    description: 'How often the services are invoiced. Default: the billing cycle in the billing preferences of the account.',
  })
  @IsOptional()
  cycle?: BillingCycle | null;

  @Field(() => String, {
    nullable: true,
    description: 'Minimum term in months or years, such as `36_months`; at most 10 years. Longer terms have a discount. Default: no term.',
  })
  @IsOptional()
  @MaxCharacters(20)
  @Allow(jsonSchema({ pattern: TERM_PATTERN }))
  term?: string | null;
}

/** Input fields of all kinds of quotes. */
@InputType()
abstract class QuoteDetails extends QuotedServiceInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "Account that the quote is for (`acc_…`). Default: your organization's own account, or your only account if you are limited to one account.",
  })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => BillingPreferencesInput, {
    nullable: true,
    description: 'Billing cycle and term. Default: the billing cycle in the billing preferences of the account, without a term.',
  })
  @IsOptional()
  @ValidateNested()
  billingPreferences?: BillingPreferencesInput | null;
}

@InputType({ description: 'Services whose prices are quoted.' })
export class QuoteInput {
  @Field(() => [QuoteLineInput], { description: `Services, 1 to ${MAX_LINES}.` })
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_LINES} entries` })
  @ArrayMaxSize(MAX_LINES, { message: `must have 1 to ${MAX_LINES} entries` })
  @ValidateNested({ each: true })
  services!: QuoteLineInput[];

  @Field(() => ID, {
    nullable: true,
    description:
      "Account that the quote is for (`acc_…`). Default: your organization's own account, or your only account if you are limited to one account.",
  })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => BillingPreferencesInput, {
    nullable: true,
    description: 'Billing cycle and term. Default: the billing cycle in the billing preferences of the account, without a term.',
  })
  @IsOptional()
  @ValidateNested()
  billingPreferences?: BillingPreferencesInput | null;
}

@InputType({ description: 'Fiber line whose price is quoted.' })
export class FiberQuoteInput extends QuoteDetails {
  @Field(() => PartialLocation, { description: 'Place where the line is built.' })
  @ValidateNested()
  location!: PartialLocation;
}

function termProblems(term: string | null | undefined): FieldProblem[] {
  if (term === null || term === undefined) return [];
  const months = termOf(term);
  const isAllowed = months !== null && months >= 1 && months <= MAX_MONTHS;
  return isAllowed ? [] : [{ field: 'term', value: term, reason: `must be 1 to ${MAX_MONTHS} months, such as 36_months` }];
}

/** Returns a term in months. Returns null if it is not a number of months or years. */
export function termOf(term: string): number | null {
  try {
    const { months, ms } = parseDuration(term);
    return ms === 0 ? months : null;
  } catch (error) {
    if (error instanceof InvalidDuration) return null;
    throw error;
  }
}

@InputType({ description: 'Conditions for a list of quotes.' })
export class QuoteFilter {
  @Field(() => [ID], { nullable: true })
  accountId?: string[];
}
