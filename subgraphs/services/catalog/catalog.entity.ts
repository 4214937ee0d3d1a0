import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** A category of the catalog. The catalog is the same for all organizations. Migrations fill its tables. */
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

  /** The `service_type` of orders for this service. Null if the service cannot be ordered by service type. */
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

  /** Guaranteed availability in percent. */
  @Property({ type: MoneyType })
  uptimePercent!: Decimal;
}
