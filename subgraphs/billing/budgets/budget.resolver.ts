import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { BillingContext } from '../context.ts';
import { Account, Service } from '../references.ts';
import { Budget } from './budget.entity.ts';
import { BudgetInput, BudgetUpdateInput } from './budget.inputs.ts';
import { BudgetAlert } from './budget.types.ts';

const BudgetPage = pageOf('Budget', Budget);

@Resolver(() => Budget)
export class BudgetResolver {
  @Query(() => Budget, { nullable: true, description: 'Get a budget by id. Null if it does not exist.' })
  @Requires('billing:read')
  budget(@Arg('id', () => ID) id: string, @Ctx() { budgets }: BillingContext): Promise<Budget | null> {
    return budgets.find(id);
  }

  @Query(() => BudgetPage, { description: 'List budgets, newest first.' })
  @Requires('billing:read')
  budgets(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { budgets }: BillingContext,
  ): Promise<Page<Budget>> {
    return budgets.list(page ?? {});
  }

  @Mutation(() => Budget, {
    description:
      'Create a budget. When the costs of a period reach a percentage of its amount, an e-mail and the event `usage.threshold` are sent, once for each percentage and period.',
  })
  @Requires('billing:write')
  createBudget(@Arg('input', () => BudgetInput) input: BudgetInput, @Ctx() { budgets }: BillingContext): Promise<Budget> {
    return budgets.create(input);
  }

  @Mutation(() => Budget, {
    description:
      'Change a budget. After a change of the amount, period or category, thresholds that are reached in the current period cause alerts again.',
  })
  @Requires('billing:write')
  updateBudget(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => BudgetUpdateInput, { description: 'New values. Omit a field to keep its value.' }) input: BudgetUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { budgets }: BillingContext,
  ): Promise<Budget> {
    return budgets.update(id, input, expectedRevision);
  }

  @Mutation(() => Budget, { description: 'Delete a budget and its alerts. Returns the deleted record.' })
  @Requires('billing:write')
  deleteBudget(@Arg('id', () => ID) id: string, @Ctx() { budgets }: BillingContext): Promise<Budget> {
    return budgets.delete(id);
  }

  @FieldResolver(() => Date, { description: 'Start of the current period.' })
  async periodStart(@Root() budget: Budget, @Ctx() { budgets }: BillingContext): Promise<Date> {
    return (await budgets.spendingOf(budget)).span.start;
  }

  @FieldResolver(() => Date, { description: 'End of the current period, exclusive.' })
  async periodEnd(@Root() budget: Budget, @Ctx() { budgets }: BillingContext): Promise<Date> {
    return (await budgets.spendingOf(budget)).span.end;
  }

  @FieldResolver(() => Decimal, {
    description: 'Costs of the current period that are already invoiced, up to and including the current month.',
  })
  async spent(@Root() budget: Budget, @Ctx() { budgets }: BillingContext): Promise<Decimal> {
    return (await budgets.spendingOf(budget)).spent;
  }

  @FieldResolver(() => Decimal, {
    description:
      'Expected costs of the whole period. The forecast assumes that the current month and each later month cost as much as the month before the current month. If a higher amount is already invoiced for a month, the forecast uses this amount.',
  })
  async forecast(@Root() budget: Budget, @Ctx() { budgets }: BillingContext): Promise<Decimal> {
    return (await budgets.spendingOf(budget)).forecast;
  }

  @FieldResolver(() => [BudgetAlert], { description: 'Thresholds that were reached in the current period, in ascending order.' })
  alerts(@Root() budget: Budget, @Ctx() { budgets }: BillingContext): Promise<BudgetAlert[]> {
    return budgets.alertsOf(budget);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account whose costs count. Null if all accounts count.' })
  account(@Root() { accountId }: Budget): Account | null {
    return accountId === null ? null : { id: accountId };
  }

  @FieldResolver(() => Service, { nullable: true, description: 'Service whose costs count. Null if all services count.' })
  service(@Root() { serviceId }: Budget): Service | null {
    return serviceId === null ? null : { id: serviceId };
  }
}
