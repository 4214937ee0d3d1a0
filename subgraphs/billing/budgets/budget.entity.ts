import { Check, Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { CostCategory } from '../costs/cost.states.ts';
import { BudgetPeriod } from './budget.states.ts';

/** An amount that the services of an organization, an account or one service should cost at most in a period (specification 4.5). */
@ObjectType({ description: 'Amount that services should cost at most in a period. A budget does not stop services; it sends alerts.' })
@Directive('@key(fields: "id")')
@Check({ name: 'budget_amount_check', expression: `"amount" > 0` })
@Entity({ tableName: 'budget' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['checkDueAt'] })
export class Budget {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name of the budget, 1 to 100 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => Decimal, { description: 'Amount for each period.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of the currency. Costs in other currencies do not count.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => BudgetPeriod, { description: 'Period to which the amount applies.' })
  @Enum({ items: () => BudgetPeriod, type: 'text' })
  period!: BudgetPeriod;

  @Field(() => ID, { nullable: true, description: 'Account whose costs count (`acc_…`). Null: all accounts of the organization.' })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Service whose costs count (`svc_…`). Null: all services.' })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => CostCategory, { nullable: true, description: 'Category of the services whose costs count. Null: all categories.' })
  @Enum({ items: () => CostCategory, type: 'text', nullable: true })
  category: CostCategory | null = null;

  @Field(() => String, {
    description: 'IANA name of the time zone in which periods start: the time zone of the account, or UTC if the budget has no account.',
  })
  @Property({ type: 'text' })
  timezone!: string;

  @Field(() => [Int], { description: 'Percentages of the amount that cause an alert, in ascending order.' })
  @Property({ type: 'json' })
  thresholds!: number[];

  @Field(() => [String], { description: 'E-mail addresses that get the alerts.' })
  @Property({ type: 'json' })
  notify!: string[];

  /** Next time at which the platform compares the costs with the amount: after the costs change, or at the end of the period. */
  @Property({ type: 'datetime', length: 3 })
  checkDueAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Revision()
  revision = 1;
}
