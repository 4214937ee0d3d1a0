import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** Catalog tables. The catalog is the same for all organizations and is filled by migrations. */
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
@Unique({ properties: ['serviceType'] })
export class CatalogServiceRow {
  /** Id such as `business_fiber`. */
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

  /** The `service_type` of orders for this service; null if it is not ordered by service type. */
  @Property({ type: 'text', nullable: true })
  serviceType: string | null = null;

  @Property({ type: MoneyType })
  startingPrice!: Decimal;

  /** Unit of the price, such as `month` or `user/month`. */
  @Property({ type: 'text' })
  unit!: string;

  @Property({ type: 'text' })
  currency!: string;
}

/** A bandwidth that a service is offered with, and its monthly price. */
@Entity({ tableName: 'catalog_bandwidth' })
export class CatalogBandwidthRow {
  @PrimaryKey({ type: 'text' })
  serviceId!: string;

  @PrimaryKey({ type: 'integer' })
  mbps!: number;

  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;
}

/** A service level that a service is offered with, and its price uplift. The first one is the default. */
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

  /** Guaranteed availability in percent. */
  @Property({ type: MoneyType })
  uptimePercent!: Decimal;
}
