import { Field, ID, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

@ObjectType({ description: 'Price of one bandwidth option.' })
export class BandwidthPrice {
  @Field(() => String, { description: 'Bandwidth, such as `500mbps`.' })
  bandwidth!: string;

  @Field(() => Decimal, { description: 'Price for one month, before the surcharge of the service level.' })
  monthlyPrice!: Decimal;
}

@ObjectType({ description: 'Surcharge and promise of one service level.' })
export class SlaUplift {
  @Field(() => String, { description: 'Name of the service level, such as `enterprise`.' })
  sla!: string;

  @Field(() => Decimal, { description: 'Surcharge on the price, in percent.' })
  percent!: Decimal;

  @Field(() => Decimal, { description: 'Promised availability, in percent.' })
  uptimePercentage!: Decimal;
}

@ObjectType({ description: 'Price of a catalog entry.' })
export class CatalogPricing {
  @Field(() => Decimal, { description: 'Lowest price at which the service can be ordered, for one `unit`.' })
  startingPrice!: Decimal;

  @Field(() => String, { description: 'Unit that the price is for, such as `month` or `user/month`.' })
  unit!: string;

  @Field(() => String, { description: 'ISO 4217 code of all prices, such as USD.' })
  currency!: string;

  @Field(() => [BandwidthPrice], { description: 'Price of each bandwidth. Empty if the price does not depend on a bandwidth.' })
  bandwidthPrices!: BandwidthPrice[];

  @Field(() => [SlaUplift], { description: 'Surcharge of each service level.' })
  slaUplifts!: SlaUplift[];
}

@ObjectType({ description: 'A service that can be ordered.' })
export class CatalogService {
  @Field(() => ID, { description: 'Identifier of the catalog entry, such as `business_fiber`.' })
  id!: string;

  @Field(() => String, { description: 'Product name.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about the service.' })
  description!: string;

  @Field(() => [String], { description: 'Bandwidths that can be ordered, such as `500mbps`. Empty for services without a bandwidth.' })
  bandwidthOptions!: string[];

  @Field(() => [String], { description: 'Service levels that can be ordered. The first one is the default.' })
  slaOptions!: string[];

  @Field(() => CatalogPricing, { description: 'Prices and surcharges.' })
  pricing!: CatalogPricing;
}

@ObjectType({ description: 'A group of services in the catalog.' })
export class CatalogCategory {
  @Field(() => String, { description: 'Identifier of the category, such as `connectivity`.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about the services of the category.' })
  description!: string;

  @Field(() => [CatalogService], { description: 'Services of the category, in display order.' })
  services!: CatalogService[];
}

@ObjectType({ description: 'Services that can be ordered, by category.' })
export class ServiceCatalog {
  @Field(() => [CatalogCategory], { description: 'Categories in display order.' })
  categories!: CatalogCategory[];
}
