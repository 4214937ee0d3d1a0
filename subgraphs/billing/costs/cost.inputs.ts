import { IsOptional, Matches } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { CostCategory } from './cost.states.ts';
import { MONTHS_MAX, monthsBetween } from './months.ts';

const MONTH = /^(20|21)\d\d-(0[1-9]|1[0-2])$/;
const MONTH_RULE = 'must be a month such as 2026-01';

@InputType({ description: 'Conditions for costs. Costs must meet all of them.' })
@Rule<CostFilter>(({ from, to }) => {
  if (!from || !to) return [];
  if (from > to) return [{ field: 'to', value: to, reason: 'must not be before the first month' }];
  return monthsBetween(from, to) > MONTHS_MAX
    ? [{ field: 'to', value: to, reason: `must be at most ${MONTHS_MAX} months from the first month` }]
    : [];
})
export class CostFilter {
  @Field(() => ID, { nullable: true, description: 'Only costs of this account (`acc_…`).' })
  accountId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only costs of this service (`svc_…`).' })
  serviceId?: string | null;

  @Field(() => CostCategory, { nullable: true, description: 'Only costs of services in this category.' })
  category?: CostCategory | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only costs in this currency (ISO 4217 code). Default: all currencies, each with its own amounts.',
  })
  @IsOptional()
  @Matches(/^[A-Z]{3}$/, { message: 'must be an ISO 4217 currency code such as USD' })
  currency?: string | null;

  @Field(() => String, { nullable: true, description: `First month, such as \`2026-01\`. Default: 11 months before the last month.` })
  @IsOptional()
  @Matches(MONTH, { message: MONTH_RULE })
  from?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Last month, at most ${MONTHS_MAX} months from the first month. Default: the current month, or the first month if it is later.`,
  })
  @IsOptional()
  @Matches(MONTH, { message: MONTH_RULE })
  to?: string | null;
}
