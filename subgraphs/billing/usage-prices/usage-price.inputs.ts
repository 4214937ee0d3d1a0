import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { tierProblem } from '../calculation/rating.ts';
import type { BillingContext } from '../context.ts';
import { UsageMetric, UsagePriceModel } from './usage-metric.states.ts';

const MAX_TIERS = 20;
/** Exclusive upper limit of the numbers in a price. */
const LIMIT = 1e10;

@InputType({ description: 'A range of quantities with its unit price. It starts where the tier before it ends.' })
export class UsagePriceTierInput {
  @Field(() => Decimal, { nullable: true, description: 'Last quantity of the tier. Omit it in the last tier, and only there.' })
  @IsOptional()
  @Allow(jsonSchema({ exclusiveMinimum: 0 }))
  upTo?: Decimal | null;

  @Field(() => Decimal, { description: 'Price of one unit, at least 0, with at most 10 decimal places.' })
  @Allow(jsonSchema({ minimum: 0 }))
  unitPrice!: Decimal;
}

/** The input fields that each price model requires. */
const NEEDED: Readonly<Record<UsagePriceModel, readonly ('unitPrice' | 'tiers' | 'blockSize' | 'blockPrice')[]>> = {
  [UsagePriceModel.PER_UNIT]: ['unitPrice'],
  [UsagePriceModel.GRADUATED]: ['tiers'],
  [UsagePriceModel.VOLUME]: ['tiers'],
  [UsagePriceModel.BLOCKS]: ['blockSize', 'blockPrice'],
};

@InputType({
  description:
    'Price to set. The price applies to one service, one type or one category. If none of them is sent, it applies to all services of the organization.',
})
@Rule<UsagePriceInput>(scopeProblems)
@Rule<UsagePriceInput>(modelProblems)
@Rule<UsagePriceInput>(amountProblems)
@Rule<UsagePriceInput, BillingContext>(({ validFrom }, { clock }) =>
  validFrom && validFrom.getTime() < clock.now().getTime() - CLOCK_DIFFERENCE_MS
    ? [{ field: 'validFrom', value: validFrom, reason: 'must not be in the past' }]
    : [],
)
export class UsagePriceInput {
  @Field(() => ID, { nullable: true, description: 'Only for this service (`svc_…`).' })
  @IsOptional()
  @Matches(/^svc_\w+$/, { message: 'must be a service id (svc_…)' })
  serviceId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only for services of this type or subtype, such as `internet` or `fiber`.' })
  @IsOptional()
  @Matches(/^\w{1,50}$/, { message: 'must be a type of services such as fiber' })
  serviceType?: string | null;

  @Field(() => String, { nullable: true, description: 'Only for services of this category of the catalog, such as `connectivity`.' })
  @IsOptional()
  @Characters(1, 50)
  category?: string | null;

  @Field(() => UsageMetric, { description: 'Kind of usage that the price is for.' })
  metric!: UsageMetric;

  @Field(() => String, { description: 'ISO 4217 code, such as USD.' })
  @IsCurrency()
  currency!: string;

  @Field(() => UsagePriceModel, { description: 'How the usage of a period is priced.' })
  model!: UsagePriceModel;

  @Field(() => Decimal, { nullable: true, description: 'Quantity of each period that costs nothing. Default: 0.' })
  @IsOptional()
  @Allow(jsonSchema({ minimum: 0 }))
  included?: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: 'Price of one unit. Required for the model `PER_UNIT`.' })
  @IsOptional()
  @Allow(jsonSchema({ minimum: 0 }))
  unitPrice?: Decimal | null;

  @Field(() => [UsagePriceTierInput], {
    nullable: true,
    description: `Tiers in order, 1 to ${MAX_TIERS}. Required for the models \`GRADUATED\` and \`VOLUME\`.`,
  })
  @IsOptional()
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_TIERS} items` })
  @ArrayMaxSize(MAX_TIERS, { message: `must have 1 to ${MAX_TIERS} items` })
  @ValidateNested()
  tiers?: UsagePriceTierInput[] | null;

  @Field(() => Decimal, { nullable: true, description: 'Number of units in a block. Required for the model `BLOCKS`.' })
  @IsOptional()
  @Allow(jsonSchema({ exclusiveMinimum: 0 }))
  blockSize?: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: 'Price of a block. Required for the model `BLOCKS`.' })
  @IsOptional()
  @Allow(jsonSchema({ minimum: 0 }))
  blockPrice?: Decimal | null;

  @Field(() => Date, { nullable: true, description: 'When the price becomes valid. Default: now. It must not be in the past.' })
  @IsOptional()
  validFrom?: Date | null;
}

/** Accepted difference between the clock of a caller and the clock of the platform, for `validFrom`. */
const CLOCK_DIFFERENCE_MS = 60_000;

function scopeProblems({ serviceId, serviceType, category }: Valid<UsagePriceInput>): FieldProblem[] {
  const [first, ...others] = Object.entries({ serviceId, serviceType, category }).filter(([, value]) => value);
  return others.map(([field, value]) => ({ field, value, reason: `cannot be combined with ${first?.[0]}` }));
}

function modelProblems(input: Valid<UsagePriceInput>): FieldProblem[] {
  const { model, tiers } = input;
  if (!model) return [];
  const needed: readonly string[] = NEEDED[model];
  const values = Object.entries({ unitPrice: input.unitPrice, tiers, blockSize: input.blockSize, blockPrice: input.blockPrice });
  const problems = values.flatMap(([field, value]): FieldProblem[] => {
    if (needed.includes(field))
      return value === undefined || value === null ? [{ field, reason: `is required for the model ${model}` }] : [];
    return value === undefined || value === null ? [] : [{ field, reason: `must be omitted for the model ${model}` }];
  });
  const isWhole = tiers?.every((tier) => tier?.unitPrice !== undefined);
  const reason =
    tiers && isWhole ? tierProblem(tiers.map((tier) => ({ upTo: tier?.upTo ?? null, unitPrice: tier?.unitPrice as Decimal }))) : undefined;
  return reason ? [...problems, { field: 'tiers', reason }] : problems;
}

function amountProblems({ included, unitPrice, blockSize, blockPrice, tiers }: Valid<UsagePriceInput>): FieldProblem[] {
  const ofTiers = (tiers ?? []).flatMap((tier, index): [string, Decimal | null | undefined, boolean][] => [
    [`tiers.${index}.upTo`, tier?.upTo, true],
    [`tiers.${index}.unitPrice`, tier?.unitPrice, false],
  ]);
  const all: [string, Decimal | null | undefined, boolean][] = [
    ['included', included, false],
    ['unitPrice', unitPrice, false],
    ['blockSize', blockSize, true],
    ['blockPrice', blockPrice, false],
    ...ofTiers,
  ];
  return all.flatMap(([field, value, isPositive]): FieldProblem[] => {
    if (!value) return [];
    const problem = { field, value: value.toNumber() };
    if (value.isNegative() && !value.isZero()) return [{ ...problem, reason: 'must be at least 0' }];
    if (isPositive && value.isZero()) return [{ ...problem, reason: 'must be greater than 0' }];
    return value.lessThan(LIMIT) ? [] : [{ ...problem, reason: `must be less than ${LIMIT}` }];
  });
}

@InputType({ description: 'Conditions for a list of usage prices. A price must meet all of them.' })
export class UsagePriceFilter {
  @Field(() => ID, { nullable: true, description: 'Only prices for this service (`svc_…`), not those for its type or category.' })
  serviceId?: string | null;

  @Field(() => [UsageMetric], { nullable: true, description: 'Only prices of these metrics.' })
  metric?: UsageMetric[] | null;

  @Field(() => [String], { nullable: true, description: 'Only prices in these currencies.' })
  currency?: string[] | null;

  @Field(() => Date, { nullable: true, description: 'Only prices that are valid at this time.' })
  validAt?: Date | null;
}
