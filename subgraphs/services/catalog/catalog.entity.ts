import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** The catalog is one for all organizations; its tables are filled by migrations. */
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
  /** Such as `business_fiber`. */
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

  /** The `service_type` of an order that asks for it; null where it is ordered otherwise. */
  @Property({ type: 'text', nullable: true })
  serviceType: string | null = null;

  @Property({ type: MoneyType })
  startingPrice!: Decimal;

  /** What the price is for: `month`, `user/month`. */
  @Property({ type: 'text' })
  unit!: string;

  @Property({ type: 'text' })
  currency!: string;
}

/** A bandwidth in which a service is sold, and its price a month. */
@Entity({ tableName: 'catalog_bandwidth' })
export class CatalogBandwidthRow {
  @PrimaryKey({ type: 'text' })
  serviceId!: string;

  @PrimaryKey({ type: 'integer' })
  mbps!: number;

  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;
}

/** A service level in which a service is sold, and what it adds to the price. The first one is the default. */
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

  /** The availability that it promises. */
  @Property({ type: MoneyType })
  uptimePercent!: Decimal;
}
