import { Field, ID, Int, ObjectType } from 'type-graphql';
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

  @Field(() => Decimal, { description: 'Fee that is charged once for each unit. Terms of 24 months or more have no fee.' })
  installationFee!: Decimal;

  @Field(() => String, { description: 'Unit that the price is for, such as `month` or `user/month`.' })
  unit!: string;

  @Field(() => String, { description: 'ISO 4217 code of all prices, such as USD.' })
  currency!: string;

  @Field(() => [BandwidthPrice], { description: 'Price of each bandwidth. Empty if the price does not depend on a bandwidth.' })
  bandwidthPrices!: BandwidthPrice[];

  @Field(() => [SlaUplift], { description: 'Surcharge of each service level.' })
  slaUplifts!: SlaUplift[];
}

@ObjectType({ description: 'A feature that can be ordered with a service.' })
export class CatalogFeature {
  @Field(() => String, { description: 'Identifier of the feature, such as `static_ip`.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about the feature.' })
  description!: string;

  @Field(() => Decimal, { description: 'Price for one month, before the surcharge of the service level.' })
  monthlyPrice!: Decimal;

  @Field(() => Boolean, { description: 'True if the price is for one unit of the quantity, such as one site of a network.' })
  perUnit!: boolean;

  @Field(() => [String], { description: 'Features that must be ordered with this feature.' })
  needs!: string[];
}

@ObjectType({ description: 'A service of the catalog.' })
export class CatalogService {
  @Field(() => ID, { description: 'Identifier of the catalog entry, such as `business_fiber`.' })
  id!: string;

  @Field(() => String, { description: 'Product name.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about the service.' })
  description!: string;

  @Field(() => String, { description: 'Name of its category.' })
  category!: string;

  @Field(() => Int, { description: 'Position in the category. Services are sorted by this number.' })
  position!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Product that builds the service, such as `internet`. Null if the platform cannot build it yet.',
  })
  product!: string | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Time at which the service was retired. It is not in the catalog any more. Null if it is in the catalog.',
  })
  retiredAt!: Date | null;

  @Field(() => Int, { description: 'Number that increases with each change of the catalog entry.' })
  revision!: number;

  @Field(() => Boolean, { description: 'False if the service cannot be ordered yet.' })
  orderable!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      '`service_type` of orders for this service, such as `fiber` or `mpls`. Null if the service cannot be ordered by service type.',
  })
  serviceType!: string | null;

  @Field(() => [String], { description: 'Bandwidths that can be ordered, such as `500mbps`. Empty for services without a bandwidth.' })
  bandwidthOptions!: string[];

  @Field(() => [String], { description: 'Service levels that can be ordered. The first service level is the default.' })
  slaOptions!: string[];

  @Field(() => CatalogPricing, { description: 'Prices and surcharges.' })
  pricing!: CatalogPricing;

  @Field(() => [CatalogFeature], { description: 'Features that can be ordered, in display order.' })
  features!: CatalogFeature[];
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

@ObjectType({ description: 'Services of the catalog, grouped by category.' })
export class ServiceCatalog {
  @Field(() => [CatalogCategory], { description: 'Categories in display order.' })
  categories!: CatalogCategory[];
}

@ObjectType({ description: 'A discount on monthly prices for quotes with a long term.' })
export class CatalogTermDiscount {
  @Field(() => Int, { description: 'Shortest term that has the discount, in months.' })
  months!: number;

  @Field(() => Decimal, {
    description: 'Discount in percent. If several discounts match a term, the discount with the most months applies.',
  })
  percent!: Decimal;
}
