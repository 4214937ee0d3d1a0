import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { SubscriptionStatus } from './subscription.states.ts';

/** Maximum number of services in a request that creates a subscription. */
const SERVICES_MAX = 100;
const isServiceId = Matches(/^svc_\w+$/, { message: 'must be a service id (svc_…)' });
const isMethodId = Matches(/^pm_\w+$/, { message: 'must be the id of a payment method (pm_…)' });
const isUnique = ArrayUnique(({ serviceId }: { serviceId?: string }) => serviceId, { message: 'must be unique' });
const isBounded = ArrayMaxSize(SERVICES_MAX, { message: `must have at most ${SERVICES_MAX} services` });

@InputType({ description: 'A service to bill, and how.' })
export class RecurringServiceInput {
  @Field(() => ID, { description: 'Service of the account (`svc_…`).' })
  @isServiceId
  serviceId!: string;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY, description: 'How often the service is invoiced.' })
  billingCycle!: BillingCycle;

  @Field(() => Boolean, {
    defaultValue: true,
    description:
      'Whether to bill the service again after the first period. If false, the automatic subscription bills the service after the first period.',
  })
  autoRenew!: boolean;
}

@InputType({ description: 'Services of an account to bill regularly.' })
export class RecurringBillingInput {
  @Field(() => ID, { description: 'Account that is billed (`acc_…`).' })
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId!: string;

  @Field(() => [RecurringServiceInput], { description: `Services of the account, 1 to ${SERVICES_MAX}. All have the same currency.` })
  @ArrayMinSize(1, { message: 'must have at least one service' })
  @isBounded
  @isUnique
  @ValidateNested()
  services!: RecurringServiceInput[];

  @Field(() => ID, {
    nullable: true,
    description: 'Reusable payment method of the account (`pm_…`). Default: the payment method of the account.',
  })
  @IsOptional()
  @isMethodId
  paymentMethodId?: string | null;

  @Field(() => Date, {
    nullable: true,
    description:
      'The subscription starts at the beginning of this day, in the time zone of the account. Default: for each service, the end of the period that is already billed.',
  })
  startDate?: Date | null;
}

@InputType({ description: 'New terms of a service in a subscription. Omit a field to keep its value.' })
export class SubscriptionServiceInput {
  @Field(() => ID, { description: 'Service of the subscription (`svc_…`).' })
  @isServiceId
  serviceId!: string;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the service is invoiced, from the next period on.' })
  @NotNull()
  billingCycle?: BillingCycle;

  @Field(() => Boolean, { nullable: true, description: 'Whether to bill the service again after the current period.' })
  @NotNull()
  autoRenew?: boolean;
}

@InputType({ description: 'New values of a subscription. Omit a field to keep its value.' })
export class SubscriptionUpdateInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to bill all services of the subscription again after their current period.',
  })
  @NotNull()
  autoRenew?: boolean;

  @Field(() => ID, { nullable: true, description: 'Reusable payment method (`pm_…`). Null: the payment method of the account.' })
  @IsOptional()
  @isMethodId
  paymentMethodId?: string | null;

  @Field(() => [SubscriptionServiceInput], { nullable: true, description: 'Services with new terms.' })
  @NotNull()
  @isBounded
  @isUnique
  @ValidateNested()
  services?: SubscriptionServiceInput[];

  @Field(() => SubscriptionStatus, { nullable: true, description: '`ACTIVE` undoes a cancellation that has not taken effect.' })
  @NotNull()
  @IsIn([SubscriptionStatus.ACTIVE], { message: 'must be active; cancel a subscription with its own operation' })
  status?: SubscriptionStatus;
}

@InputType({ description: 'Conditions for a list of subscriptions. A subscription must meet all of them.' })
export class BillingSubscriptionFilter {
  @Field(() => [ID], { nullable: true })
  accountId?: string[] | null;

  @Field(() => [SubscriptionStatus], { nullable: true })
  status?: SubscriptionStatus[] | null;
}
