import { Field, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

/** A threshold of a budget that was reached. */
@ObjectType({ description: 'A threshold of a budget that was reached in the current period.' })
export class BudgetAlert {
  @Field(() => Int, { description: 'Percentage of the amount that was reached.' })
  threshold!: number;

  @Field(() => Decimal, { description: 'Costs of the period when the threshold was reached.' })
  spent!: Decimal;

  @Field(() => Date, { description: 'Time at which the threshold was reached.' })
  reachedAt!: Date;
}
