import { Field, ID, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { CostAnalysis, CostBreakdown } from '../costs/cost.types.ts';

@ObjectType({ description: 'Costs of one month.' })
export class CostOfMonth {
  @Field(() => String, { description: 'Month, such as `2026-01`.' })
  month!: string;

  @Field(() => Decimal, { description: 'Costs of the month.' })
  amount!: Decimal;
}

@ObjectType({ description: 'Costs of one service.' })
export class CostOfService {
  @Field(() => ID, { description: 'Service that was invoiced (`svc_…`), or the account (`acc_…`) for usage without a service.' })
  serviceId!: string;

  @Field(() => Decimal, { description: 'Costs of the service in the months of the period.' })
  amount!: Decimal;
}

@ObjectType({
  description:
    'Costs of services: the cost analysis of billing, and the costs of the months of the period. Costs belong to months, so the months at the start and end of the period count as a whole.',
})
export class CostAnalytics extends CostAnalysis {
  @Field(() => String, { description: 'First month, such as `2026-01`.' })
  fromMonth!: string;

  @Field(() => String, { description: 'Last month, such as `2026-01`.' })
  toMonth!: string;

  @Field(() => Decimal, { description: 'Costs of these months.' })
  total!: Decimal;

  @Field(() => Decimal, { description: 'Costs of the same number of months before.' })
  totalBefore!: Decimal;

  @Field(() => CostBreakdown, { description: '`total` by category.' })
  byCategory!: CostBreakdown;

  @Field(() => [CostOfMonth], { description: '`total` by month, oldest first. At most 14.' })
  byMonth!: CostOfMonth[];

  @Field(() => [CostOfService], { description: 'Services with the highest costs first, at most 50.' })
  byService!: CostOfService[];
}
