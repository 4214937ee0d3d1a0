import { Arg, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { BillingContext } from '../context.ts';
import { Account, Service } from '../references.ts';
import { CostFilter } from './cost.inputs.ts';
import { CostDimension, CostStep } from './cost.states.ts';
import { CostAnalysis, CostPoint, CostTrends } from './cost.types.ts';

const ACCOUNT = 'Only costs of this account (`acc_…`). Default: all accounts that you can access.';
const MONTHS = 'Number of months up to the current month, 1 to 60. Default: 12.';

@Resolver(() => CostAnalysis)
export class CostResolver {
  @Query(() => CostAnalysis, {
    description:
      'Get the costs of services in the current month and year, without tax and after deduction of credits. The price of a service for a period, such as a year, is divided among the months of this period.',
  })
  @Requires('billing:read', { scope: 'account' })
  costAnalysis(
    @Arg('accountId', () => ID, { nullable: true, description: ACCOUNT }) accountId: string | undefined,
    @Arg('currency', () => String, {
      nullable: true,
      description: 'ISO 4217 code of a currency. Default: the currency with the highest costs.',
    })
    currency: string | undefined,
    @Ctx() { costs }: BillingContext,
  ): Promise<CostAnalysis> {
    return costs.analyse(accountId ?? null, currency ?? null);
  }

  @Query(() => [CostPoint], {
    description:
      'List the costs of services for each month, quarter or year, oldest first. Amounts of different currencies are separate. At most 1000 values.',
  })
  @Requires('billing:read', { scope: 'account' })
  costs(
    @Arg('filter', () => CostFilter, { nullable: true }) filter: CostFilter | undefined,
    @Arg('groupBy', () => [CostDimension], { nullable: true, description: 'How the costs are grouped. Default: one sum for all services.' })
    groupBy: CostDimension[] | undefined,
    @Arg('step', () => CostStep, { defaultValue: CostStep.MONTH, description: 'Length of the periods.' }) step: CostStep,
    @Ctx() { costs }: BillingContext,
  ): Promise<CostPoint[]> {
    return costs.list(filter ?? {}, groupBy ?? [], step);
  }
}

@Resolver(() => CostTrends)
export class CostTrendsResolver {
  @FieldResolver(() => Decimal, {
    nullable: true,
    description:
      'Amount that would be saved each month if the services were ordered today with the same configuration: the sum of the differences between their prices and the prices of the catalog. Null if there are more than 1000 services, and for an analysis of single services.',
  })
  costOptimizationSavings(@Root() { scope }: CostTrends, @Ctx() { costs }: BillingContext): Promise<Decimal | null> {
    return costs.savings(scope);
  }
}

@Resolver(() => Service)
export class ServiceCostsResolver {
  @FieldResolver(() => [CostPoint], { description: 'Costs of the service in each of the last months, oldest first.' })
  @Requires('billing:read', { scope: 'account' })
  costs(
    @Root() { id }: Service,
    @Arg('months', () => Int, { defaultValue: 12, description: MONTHS }) months: number,
    @Ctx() { costs }: BillingContext,
  ): Promise<CostPoint[]> {
    return costs.ofService(id, months);
  }
}

@Resolver(() => Account)
export class AccountCostsResolver {
  @FieldResolver(() => [CostPoint], { description: 'Costs of the services of the account in each of the last months, oldest first.' })
  @Requires('billing:read', { scope: 'account' })
  costs(
    @Root() { id }: Account,
    @Arg('months', () => Int, { defaultValue: 12, description: MONTHS }) months: number,
    @Ctx() { costs }: BillingContext,
  ): Promise<CostPoint[]> {
    return costs.ofAccount(id, months);
  }
}
