import { Field, ID, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

@ObjectType()
export class BandwidthPrice {
  @Field(() => String)
  bandwidth!: string;

  @Field(() => Decimal)
  monthlyPrice!: Decimal;
}

@ObjectType()
export class SlaUplift {
  @Field(() => String)
  sla!: string;

  @Field(() => Decimal, { description: 'What it adds to the price, in percent.' })
  percent!: Decimal;

  @Field(() => Decimal, { description: 'The availability that it promises, in percent.' })
  uptimePercentage!: Decimal;
}

@ObjectType()
export class CatalogPricing {
  @Field(() => Decimal)
  startingPrice!: Decimal;

  @Field(() => String, { description: 'What the price is for, such as `month` or `user/month`.' })
  unit!: string;

  @Field(() => String)
  currency!: string;

  @Field(() => [BandwidthPrice], { description: 'Empty where the price does not depend on a bandwidth.' })
  bandwidthPrices!: BandwidthPrice[];

  @Field(() => [SlaUplift])
  slaUplifts!: SlaUplift[];
}

@ObjectType({ description: 'A service that can be ordered.' })
export class CatalogService {
  @Field(() => ID, { description: 'Such as `business_fiber`.' })
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => [String])
  bandwidthOptions!: string[];

  @Field(() => [String], { description: 'The first one is the default.' })
  slaOptions!: string[];

  @Field(() => CatalogPricing)
  pricing!: CatalogPricing;
}

@ObjectType()
export class CatalogCategory {
  @Field(() => String, { description: 'Such as `connectivity`.' })
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => [CatalogService])
  services!: CatalogService[];
}

@ObjectType({ description: 'What can be ordered, by category (specification 2.5).' })
export class ServiceCatalog {
  @Field(() => [CatalogCategory])
  categories!: CatalogCategory[];
}
