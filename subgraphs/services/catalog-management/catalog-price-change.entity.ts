import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** A change of one price or surcharge of the catalog. It is never updated or deleted. */
@ObjectType({ description: 'A change of one price or surcharge of the catalog.' })
@Entity({ tableName: 'catalog_price_change' })
@Index({ properties: ['catalogId', 'createdAt'] })
export class CatalogPriceChange {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => ID, { description: 'Identifier of the catalog service, such as `business_fiber`.' })
  @Property({ type: 'text' })
  catalogId!: string;

  @Field(() => String, {
    description:
      'The price that was changed: `base` for the starting price, `bandwidth:1000mbps`, `feature:static_ip`, or `sla:business` for a surcharge in percent.',
  })
  @Property({ type: 'text' })
  item!: string;

  @Field(() => Decimal, { nullable: true, description: 'Value before the change. Null if the item was added.' })
  @Property({ type: MoneyType, nullable: true })
  old!: Decimal | null;

  @Field(() => Decimal, { nullable: true, description: 'Value after the change. Null if the item was removed.' })
  @Property({ type: MoneyType, nullable: true })
  new!: Decimal | null;

  @Field(() => ID, { description: 'Identifier of the user or credential that made the change.' })
  @Property({ type: 'text' })
  changedBy!: string;

  @Field(() => Date, { description: 'Time of the change.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
