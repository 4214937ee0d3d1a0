import { Field, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

/** A range of quantities with its unit price. The range starts where the tier before it ends. */
@ObjectType({ description: 'A range of quantities with its unit price. It starts where the tier before it ends.' })
export class UsagePriceTier {
  @Field(() => Decimal, { nullable: true, description: 'Last quantity of the tier. Null in the last tier, which has no end.' })
  upTo!: Decimal | null;

  @Field(() => Decimal, { description: 'Price of one unit.' })
  unitPrice!: Decimal;
}
