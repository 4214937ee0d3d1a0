import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Characters, MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { IsWord } from '../catalog/is-word.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { offeredProblems, termDiscountProblems } from './catalog-rules.ts';

const MAX_OPTIONS = 50;
const MAX_POSITION = 10_000;
const MAX_TERM_MONTHS = 120;

const Position = (): PropertyDecorator => (target, key) => {
  Min(0, { message: `must be between 0 and ${MAX_POSITION}` })(target, key);
  Max(MAX_POSITION, { message: `must be between 0 and ${MAX_POSITION}` })(target, key);
};

const Options = (): PropertyDecorator => ArrayMaxSize(MAX_OPTIONS, { message: `must have at most ${MAX_OPTIONS} entries` });

@InputType({ description: 'A bandwidth that can be ordered.' })
export class CatalogBandwidthInput {
  @Field(() => String, { description: 'Bandwidth, such as 500mbps or 1gbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => Decimal, { description: 'Price for one month. At least 0, in US dollars and cents.' })
  @Allow(jsonSchema({ minimum: 0 }))
  monthlyPrice!: Decimal;
}

@InputType({ description: 'A service level that can be ordered.' })
export class CatalogSlaInput {
  @Field(() => String, { description: 'Name, such as `enterprise`.' })
  @IsWord()
  name!: string;

  @Field(() => Decimal, { description: 'Surcharge on the price in percent, 0 to 1000.' })
  @Allow(jsonSchema({ minimum: 0, maximum: 1000 }))
  percent!: Decimal;

  @Field(() => Decimal, { description: 'Promised availability in percent, 0 to 100.' })
  @Allow(jsonSchema({ minimum: 0, maximum: 100 }))
  uptimePercentage!: Decimal;
}

@InputType({ description: 'A feature that can be ordered.' })
export class CatalogFeatureInput {
  @Field(() => String, { description: 'Name, such as `static_ip`.' })
  @IsWord()
  name!: string;

  @Field(() => String, { description: 'One sentence about the feature, 1 to 500 characters.' })
  @Characters(1, 500)
  description!: string;

  @Field(() => Decimal, { description: 'Price for one month. At least 0, in US dollars and cents.' })
  @Allow(jsonSchema({ minimum: 0 }))
  monthlyPrice!: Decimal;

  @Field(() => Boolean, { defaultValue: false, description: 'True if the price is for one unit of the quantity, such as one site.' })
  perUnit: boolean = false;

  @Field(() => [String], { nullable: true, description: 'Names of features that must be ordered with this feature. Default: none.' })
  @IsOptional()
  @Options()
  needs?: string[] | null;
}

@InputType()
@Rule<CatalogServiceOptions>(offeredProblems)
abstract class CatalogServiceOptions {
  @Field(() => Int, { nullable: true, description: `Position in the category, 0 to ${MAX_POSITION}.` })
  @NotNull()
  @Position()
  position?: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Lowest price. If the service has bandwidths, omit this field: the lowest price of the bandwidths is used.',
  })
  @NotNull()
  @Allow(jsonSchema({ minimum: 0 }))
  startingPrice?: Decimal;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Fee that is charged once for each unit, in US dollars and cents. A new service has no fee unless you send it.',
  })
  @NotNull()
  @Allow(jsonSchema({ minimum: 0 }))
  installationFee?: Decimal;

  @Field(() => String, {
    nullable: true,
    description: 'Product that builds the service, such as `internet`. Null if the service cannot be ordered yet.',
  })
  @IsOptional()
  @MaxCharacters(50)
  product?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      '`service_type` of orders for the service. For internet access, the access technology, such as `fiber`. For a network, its kind: `mpls` or `sd_wan`.',
  })
  @IsOptional()
  @IsWord()
  serviceType?: string | null;

  @Field(() => [CatalogBandwidthInput], { nullable: true, description: `Bandwidths with their prices, at most ${MAX_OPTIONS}.` })
  @NotNull()
  @Options()
  @ValidateNested({ each: true })
  bandwidths?: CatalogBandwidthInput[];

  @Field(() => [CatalogFeatureInput], { nullable: true, description: `Features in display order, at most ${MAX_OPTIONS}.` })
  @NotNull()
  @Options()
  @ValidateNested({ each: true })
  features?: CatalogFeatureInput[];
}

@InputType({ description: 'New values of a catalog service. A list replaces the present list.' })
export class CatalogServiceUpdateInput extends CatalogServiceOptions {
  @Field(() => String, { nullable: true, description: 'Name of the category, such as `connectivity`.' })
  @NotNull()
  @MaxCharacters(50)
  category?: string;

  @Field(() => String, { nullable: true, description: 'Product name, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => String, { nullable: true, description: 'One sentence about the service, 1 to 500 characters.' })
  @NotNull()
  @Characters(1, 500)
  description?: string;

  @Field(() => String, { nullable: true, description: 'Unit of the price, such as `month` or `user/month`.' })
  @NotNull()
  @Characters(1, 50)
  unit?: string;

  @Field(() => [CatalogSlaInput], {
    nullable: true,
    description: `Service levels, 1 to ${MAX_OPTIONS}. The first service level is the default.`,
  })
  @NotNull()
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_OPTIONS} entries` })
  @Options()
  @ValidateNested({ each: true })
  slas?: CatalogSlaInput[];
}

@InputType({ description: 'Catalog service to create.' })
@Rule<CatalogServiceCreateInput>(({ startingPrice, bandwidths }) =>
  startingPrice || (bandwidths && bandwidths.length > 0)
    ? []
    : [{ field: 'startingPrice', reason: 'is required for a service without bandwidths' }],
)
export class CatalogServiceCreateInput extends CatalogServiceOptions {
  @Field(() => ID, { description: 'Identifier, such as `business_fiber`. It cannot be changed.' })
  @IsWord()
  id!: string;

  @Field(() => String, { description: 'Name of the category, such as `connectivity`.' })
  @MaxCharacters(50)
  category!: string;

  @Field(() => String, { description: 'Product name, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => String, { description: 'One sentence about the service, 1 to 500 characters.' })
  @Characters(1, 500)
  description!: string;

  @Field(() => String, { description: 'Unit of the price, such as `month` or `user/month`.' })
  @Characters(1, 50)
  unit!: string;

  @Field(() => [CatalogSlaInput], { description: `Service levels, 1 to ${MAX_OPTIONS}. The first service level is the default.` })
  @ArrayMinSize(1, { message: `must have 1 to ${MAX_OPTIONS} entries` })
  @Options()
  @ValidateNested({ each: true })
  slas!: CatalogSlaInput[];
}

@InputType()
abstract class CatalogCategoryOptions {
  @Field(() => Int, { nullable: true, description: `Position in the catalog, 0 to ${MAX_POSITION}.` })
  @NotNull()
  @Position()
  position?: number;
}

@InputType({ description: 'New values of a category.' })
export class CatalogCategoryUpdateInput extends CatalogCategoryOptions {
  @Field(() => String, { nullable: true, description: 'One sentence about the services of the category, 1 to 500 characters.' })
  @NotNull()
  @Characters(1, 500)
  description?: string;
}

@InputType({ description: 'Category to create.' })
export class CatalogCategoryCreateInput extends CatalogCategoryOptions {
  @Field(() => String, { description: 'Identifier, such as `connectivity`. It cannot be changed.' })
  @IsWord()
  name!: string;

  @Field(() => String, { description: 'One sentence about the services of the category, 1 to 500 characters.' })
  @Characters(1, 500)
  description!: string;
}

@InputType({ description: 'Conditions for a list of price changes.' })
export class CatalogPriceChangeFilter {
  @Field(() => [ID], { nullable: true, description: 'Only changes of these catalog services.' })
  catalogId?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Only changes of these items, such as `bandwidth:1000mbps`.' })
  item?: string[] | null;
}

export enum CatalogPriceChangeSortField {
  CREATED_AT = 'createdAt',
}
export const CatalogPriceChangeSort = sortOf('CatalogPriceChange', CatalogPriceChangeSortField);

@InputType({ description: 'A discount on monthly prices for quotes with a long term.' })
export class CatalogTermDiscountInput {
  @Field(() => Int, { description: `Shortest term that has the discount, in months, 1 to ${MAX_TERM_MONTHS}.` })
  @Min(1, { message: `must be between 1 and ${MAX_TERM_MONTHS}` })
  @Max(MAX_TERM_MONTHS, { message: `must be between 1 and ${MAX_TERM_MONTHS}` })
  months!: number;

  @Field(() => Decimal, { description: 'Discount in percent, 0 to 100.' })
  @Allow(jsonSchema({ minimum: 0, maximum: 100 }))
  percent!: Decimal;
}

@InputType({ description: 'All discounts for long terms.' })
@Rule<CatalogTermDiscountsInput>(termDiscountProblems)
export class CatalogTermDiscountsInput {
  @Field(() => [CatalogTermDiscountInput], { description: `Discounts with different terms, at most ${MAX_OPTIONS}.` })
  @Options()
  @ValidateNested({ each: true })
  discounts!: CatalogTermDiscountInput[];
}
