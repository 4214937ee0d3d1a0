import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** A category of the catalog. The catalog is the same for all organizations. Operators change it. */
@Entity({ tableName: 'catalog_category' })
export class CatalogCategoryRow {
  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  description!: string;
}

@Entity({ tableName: 'catalog_service' })
@Index({
  name: 'catalog_service_service_type_index',
  expression:
    'create unique index "catalog_service_service_type_index" on "services"."catalog_service" ("service_type") where "retired_at" is null',
})
export class CatalogServiceRow {
  /** Id of the catalog service, such as `business_fiber`. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  category!: string;

  @Property({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  description!: string;

  /** Product that builds the service, such as `internet`. Null if the service cannot be ordered yet. */
  @Property({ type: 'text', nullable: true })
  product: string | null = null;

  /** The `service_type` of orders for this service. Null if the service cannot be ordered by service type. */
  @Property({ type: 'text', nullable: true })
  serviceType: string | null = null;

  @Property({ type: MoneyType })
  startingPrice!: Decimal;

  /** Fee that is charged once for each unit. It is not charged for terms of `FREE_INSTALLATION_MONTHS` or more. */
  @Property({ type: MoneyType, default: '0' })
  installationFee!: Decimal;

  /** Unit of the price, such as `month` or `user/month`. */
  @Property({ type: 'text' })
  unit!: string;

  @Property({ type: 'text' })
  currency!: string;

  /** A retired service is not in the catalog any more and cannot be ordered. Services that were ordered before continue. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retiredAt: Date | null = null;

  /** Increases with each change of the service or of its options. */
  @Property({ type: 'integer', default: 1 })
  revision = 1;
}

/** A bandwidth that can be ordered for a catalog service, and its monthly price. */
@Entity({ tableName: 'catalog_bandwidth' })
export class CatalogBandwidthRow {
  @PrimaryKey({ type: 'text' })
  serviceId!: string;

  @PrimaryKey({ type: 'integer' })
  mbps!: number;

  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;
}

/**
 * A service level that can be ordered for a catalog service, and the percentage that it adds to the price. The first
 * service level of a catalog service is the default.
 */
@Entity({ tableName: 'catalog_sla' })
export class CatalogSlaRow {
  @PrimaryKey({ type: 'text' })
  serviceId!: string;

  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: 'integer' })
  position!: number;

  @Property({ type: MoneyType })
  upliftPercent!: Decimal;

  /** Availability that the service level guarantees, in percent. */
  @Property({ type: MoneyType })
  uptimePercent!: Decimal;
}

/** A feature that can be ordered with a catalog service, and its monthly price. */
@Entity({ tableName: 'catalog_feature' })
export class CatalogFeatureRow {
  @PrimaryKey({ type: 'text' })
  serviceId!: string;

  @PrimaryKey({ type: 'text' })
  name!: string;

  @Property({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  description!: string;

  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;

  /** True if the price is for one unit of the quantity, such as one site of a network. */
  @Property({ type: 'boolean', default: false })
  perUnit = false;

  /** Names of the features that must be ordered with this feature. */
  @Property({ type: 'json', default: '[]' })
  needs: string[] = [];
}

/**
 * Discount on the monthly price for a term of at least `months`. If several discounts match, the discount with the longest term applies.
 */
@Entity({ tableName: 'catalog_term_discount' })
export class CatalogTermDiscountRow {
  @PrimaryKey({ type: 'integer', autoincrement: false })
  months!: number;

  @Property({ type: MoneyType })
  percent!: Decimal;
}
