import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { PartialLocation } from '../coverage/location.ts';
import type { PriceLine } from '../inventory/price-line.ts';
import { Quote } from './quote.entity.ts';

@ObjectType({ description: 'Reason why a line of a quote cannot be ordered: the error that an order would return.' })
export class QuoteLineError {
  @Field(() => String, { description: 'Error code, such as `LOCATION_NOT_SERVICEABLE`.' })
  code!: string;

  @Field(() => String, { description: 'Description of the problem.' })
  message!: string;

  @Field(() => JsonObject, { description: 'Details of the error, such as the alternatives at the location.' })
  details!: Record<string, unknown>;
}

/** A line of a quote: one service with its price. */
@ObjectType({ description: 'One service of a quote.' })
@Entity({ tableName: 'quote_line' })
@OrganizationFilter({ account: { by: 'quoteId', of: 'Quote' } })
export class QuoteLine {
  @ManyToOne(() => Quote, { primary: true, mapToPk: true, fieldName: 'quote_id', type: 'text' })
  quoteId!: string;

  @Field(() => Int, { description: 'Position of the line in the quote, starting at 0.' })
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Catalog entry, such as `business_fiber`.' })
  @Property({ type: 'text' })
  catalogId!: string;

  @Field(() => String, { description: 'Subtype of the service, such as `fiber`.' })
  @Property({ type: 'text' })
  serviceType!: string;

  @Property({ type: 'integer', nullable: true })
  bandwidthMbps: number | null = null;

  @Field(() => String, { nullable: true, description: 'Service level, such as `enterprise`. Null if none applies.' })
  @Property({ type: 'text', nullable: true })
  sla: string | null = null;

  @Field(() => Int, { description: 'Number of billed units, such as users of a phone system or sites of a network.' })
  @Property({ type: 'integer' })
  users!: number;

  @Field(() => [String], { description: 'Features that are included, such as `static_ip`.' })
  @Property({ type: 'json' })
  features: readonly string[] = [];

  @Field(() => PartialLocation, {
    nullable: true,
    description: 'Place that was checked. Null if the request contained no place, or if the service has none.',
  })
  @Property({ type: 'json', nullable: true })
  location: PartialLocation | null = null;

  @Field(() => Boolean, { description: 'True if the service can be ordered. The totals contain only available lines.' })
  @Property({ type: 'boolean' })
  available!: boolean;

  @Field(() => QuoteLineError, { nullable: true, description: 'Reason why the service cannot be ordered. Null if it is available.' })
  @Property({ type: 'json', nullable: true })
  error: QuoteLineError | null = null;

  @Property({ type: 'json' })
  priceLines!: PriceLine[];

  @Field(() => Decimal, { description: 'Price for one month, including service level and discount.' })
  @Property({ type: MoneyType })
  monthlyPrice!: Decimal;

  @Field(() => Decimal, { description: 'Price that is charged once, for the installation.' })
  @Property({ type: MoneyType })
  oneTimePrice!: Decimal;

  @Field(() => ID, { nullable: true, description: 'Service that was ordered with this line (`svc_…`). Null until then.' })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Bandwidth, such as `1000mbps`. Null for services without a bandwidth.' })
  get bandwidth(): string | null {
    return this.bandwidthMbps === null ? null : formatBandwidth(this.bandwidthMbps);
  }
}
