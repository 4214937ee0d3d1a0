import { Check, Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, RateType } from '../../../kernel/values/money.ts';
import type { PriceModel } from '../calculation/rating.ts';
import { UsageMetric, UsagePriceModel } from './usage-metric.states.ts';
import { UsagePriceTier } from './usage-price-tier.values.ts';
import { partOfScope } from './usage-scope.ts';

/** Stored form of a price tier. The numbers are texts, so that they stay exact. */
export interface StoredTier {
  upTo: string | null;
  unitPrice: string;
}

/**
 * The price of metered usage. A price never changes, because invoices refer to it. To change a price, set a new price,
 * which replaces the old one from a point in time.
 */
@ObjectType({ description: 'Price of metered usage. It never changes: a new price replaces it.' })
@Check({ name: 'usage_price_metric_check', expression: `"metric" in ('voice_minutes', 'data_gb', 'cloud_storage_gb', 'api_calls')` })
@Check({ name: 'usage_price_model_check', expression: `"model" in ('per_unit', 'graduated', 'volume', 'blocks')` })
@Check({
  name: 'usage_price_amounts_check',
  expression: `"included" >= 0 and ("unit_price" is null or "unit_price" >= 0)
       and ("block_size" is null or "block_size" > 0) and ("block_price" is null or "block_price" >= 0)`,
})
@Check({ name: 'usage_price_validity_check', expression: `"valid_until" is null or "valid_until" >= "valid_from"` })
@Entity({ tableName: 'usage_price' })
@OrganizationFilter()
@Index({
  name: 'usage_price_open_index',
  expression:
    'create unique index "usage_price_open_index" on "billing"."usage_price" ("organization_id", "scope", "metric", "currency") where "valid_until" is null',
})
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'scope'] })
export class UsagePrice {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  /** Scope of the price: the services to which it applies (usage-scope.ts), such as `service_type:fiber`. */
  @Property({ type: 'text' })
  scope!: string;

  @Field(() => UsageMetric, { description: 'Kind of usage that the price is for.' })
  @Enum({ items: () => UsageMetric, type: 'text' })
  metric!: UsageMetric;

  @Field(() => String, { description: 'ISO 4217 code, such as USD. The price applies to services with this currency.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => UsagePriceModel, { description: 'How the usage of a period is priced.' })
  @Enum({ items: () => UsagePriceModel, type: 'text' })
  model!: UsagePriceModel;

  @Field(() => Decimal, { description: 'Quantity of each period that costs nothing. Tiers and blocks start after it.' })
  @Property({ type: RateType, default: '0' })
  included: Decimal = new Decimal(0);

  @Field(() => Decimal, { nullable: true, description: 'Price of one unit. Null unless `model` is `PER_UNIT`.' })
  @Property({ type: RateType, nullable: true })
  unitPrice: Decimal | null = null;

  @Property({ fieldName: 'tiers', type: 'json', nullable: true })
  storedTiers: StoredTier[] | null = null;

  @Field(() => Decimal, { nullable: true, description: 'Number of units in a block. Null unless `model` is `BLOCKS`.' })
  @Property({ type: RateType, nullable: true })
  blockSize: Decimal | null = null;

  @Field(() => Decimal, { nullable: true, description: 'Price of a block. Null unless `model` is `BLOCKS`.' })
  @Property({ type: RateType, nullable: true })
  blockPrice: Decimal | null = null;

  @Field(() => Date, { description: 'When the price becomes valid.' })
  @Property({ type: 'datetime', length: 3 })
  validFrom!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When the price ends, exclusive. Null if no end is known. Equal to `validFrom` if the price was never valid.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  validUntil: Date | null = null;

  @Field(() => String, { description: 'Id of the user, key or client that set the price.' })
  @Property({ type: 'text' })
  createdBy!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the user, key or client that ended or replaced the price. Null if nobody has.',
  })
  @Property({ type: 'text', nullable: true })
  endedBy: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Service to which the price applies. Null if the price applies to several services.' })
  get serviceId(): string | null {
    return partOfScope(this.scope, 'service');
  }

  @Field(() => String, {
    nullable: true,
    description: 'Type or subtype of the services, such as `internet` or `fiber`. Null if there is none.',
  })
  get serviceType(): string | null {
    return partOfScope(this.scope, 'service_type');
  }

  @Field(() => String, { nullable: true, description: 'Category of the services, such as `connectivity`. Null if there is none.' })
  get category(): string | null {
    return partOfScope(this.scope, 'category');
  }

  @Field(() => [UsagePriceTier], { nullable: true, description: 'Tiers in order. Null unless `model` is `GRADUATED` or `VOLUME`.' })
  get tiers(): UsagePriceTier[] | null {
    return this.storedTiers?.map(tierOf) ?? null;
  }
}

const tierOf = ({ upTo, unitPrice }: StoredTier): UsagePriceTier => ({
  upTo: upTo === null ? null : new Decimal(upTo),
  unitPrice: new Decimal(unitPrice),
});

/** The columns of a price that determine the amount for a quantity. */
export type PricedBy = Pick<UsagePrice, 'model' | 'unitPrice' | 'tiers' | 'blockSize' | 'blockPrice'>;

/**
 * Returns the price model of a stored price, for the calculation.
 * @throws RangeError if the price lacks a value that its model needs
 */
export function modelOf({ model, unitPrice, tiers, blockSize, blockPrice }: PricedBy): PriceModel {
  if (model === UsagePriceModel.PER_UNIT && unitPrice) return { model, unitPrice };
  if ((model === UsagePriceModel.GRADUATED || model === UsagePriceModel.VOLUME) && tiers) return { model, tiers };
  if (model === UsagePriceModel.BLOCKS && blockSize && blockPrice) return { model, blockSize, blockPrice };
  throw new RangeError(`A price of the model ${model} lacks its values.`);
}
