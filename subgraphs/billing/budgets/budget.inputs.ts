import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Max, Min } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { CostCategory } from '../costs/cost.states.ts';
import { BudgetPeriod } from './budget.states.ts';

const MAX_THRESHOLDS = 20;
const MAX_PERCENT = 1000;
const MAX_ADDRESSES = 10;
export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 100];

const THRESHOLDS = `Percentages of the amount that cause an alert: up to ${MAX_THRESHOLDS} different numbers, 1 to ${MAX_PERCENT}.`;
const NOTIFY = `E-mail addresses that get the alerts, up to ${MAX_ADDRESSES}.`;
const AMOUNT = 'Amount for each period: more than 0, less than 1000000000000, with no more decimal places than the currency has.';

const size =
  (max: number, min = 0): PropertyDecorator =>
  (target, key) => {
    const message = `must have ${min} to ${max} items`;
    ArrayMinSize(min, { message })(target, key);
    ArrayMaxSize(max, { message })(target, key);
  };
const isPercentage = (): PropertyDecorator => (target, key) => {
  const options = { each: true, message: `must be between 1 and ${MAX_PERCENT}` };
  Min(1, options)(target, key);
  Max(MAX_PERCENT, options)(target, key);
};

/** Returns a problem for each value that a list contains more than once. */
const repeated = (field: string, values: readonly unknown[] | null | undefined) =>
  (values ?? []).flatMap((value, index) =>
    (values ?? []).indexOf(value) < index ? [{ field: `${field}.${index}`, value, reason: 'is already in the list' }] : [],
  );

const listsAreUnique = Rule<BudgetUpdateInput>(({ thresholds, notify }) => [
  ...repeated('thresholds', thresholds),
  ...repeated('notify', notify),
]);

@InputType({ description: 'New values of a budget. Omit a field to keep its value.' })
@listsAreUnique
export class BudgetUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the budget, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => Decimal, { nullable: true, description: AMOUNT })
  @NotNull()
  @Allow(jsonSchema({ exclusiveMinimum: 0, exclusiveMaximum: 1e12 }))
  amount?: Decimal;

  @Field(() => BudgetPeriod, { nullable: true, description: 'Period to which the amount applies.' })
  @NotNull()
  period?: BudgetPeriod;

  @Field(() => CostCategory, { nullable: true, description: 'Only costs of services in this category. Null: all categories.' })
  category?: CostCategory | null;

  @Field(() => [Int], { nullable: true, description: THRESHOLDS })
  @NotNull()
  @size(MAX_THRESHOLDS, 1)
  @isPercentage()
  thresholds?: number[];

  @Field(() => [String], { nullable: true, description: NOTIFY })
  @NotNull()
  @size(MAX_ADDRESSES)
  @EmailAddress(undefined, { each: true })
  notify?: string[];
}

@InputType({ description: 'Budget to create.' })
@(listsAreUnique as ClassDecorator)
export class BudgetInput {
  @Field(() => String, { description: 'Name of the budget, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => Decimal, { description: AMOUNT })
  @Allow(jsonSchema({ exclusiveMinimum: 0, exclusiveMaximum: 1e12 }))
  amount!: Decimal;

  @Field(() => String, { nullable: true, description: 'ISO 4217 code of the currency. Default: USD. It cannot be changed.' })
  @IsOptional()
  @IsCurrency()
  currency?: string | null;

  @Field(() => BudgetPeriod, { nullable: true, description: 'Period to which the amount applies. Default: monthly.' })
  period?: BudgetPeriod | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Account whose costs count (`acc_…`). Default: the account of the service, if `serviceId` is sent; otherwise all accounts or, if you are limited to one account, this account. If you are limited to several accounts, send `accountId` or `serviceId`.',
  })
  accountId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Service whose costs count (`svc_…`). Default: all services.' })
  serviceId?: string | null;

  @Field(() => CostCategory, { nullable: true, description: 'Only costs of services in this category. Default: all categories.' })
  category?: CostCategory | null;

  @Field(() => [Int], { nullable: true, description: `${THRESHOLDS} Default: 50, 80 and 100.` })
  @IsOptional()
  @size(MAX_THRESHOLDS, 1)
  @isPercentage()
  thresholds?: number[] | null;

  @Field(() => [String], { nullable: true, description: `${NOTIFY} Default: none.` })
  @IsOptional()
  @size(MAX_ADDRESSES)
  @EmailAddress(undefined, { each: true })
  notify?: string[] | null;
}
