import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { DeploymentSchedule, ProvisioningContacts, ProvisioningCustomizations } from './provisioning-request.values.ts';

/** Optional fields of both inputs: the input that creates a provisioning request, and the input that updates it. */
@InputType()
abstract class ProvisioningRequestDetails {
  @Field(() => DeploymentSchedule, { nullable: true, description: 'Preferred date. Null means as soon as possible.' })
  @IsOptional()
  @ValidateNested()
  deploymentSchedule?: DeploymentSchedule | null;

  @Field(() => ProvisioningContacts, { nullable: true, description: 'People to contact about the request. Null means nobody.' })
  @IsOptional()
  @ValidateNested()
  contacts?: ProvisioningContacts | null;

  @Field(() => ID, { nullable: true, description: 'Account that the service is for (`acc_…`). If it is null, supply it later.' })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => ServiceLocation, {
    nullable: true,
    description: 'Street address where the service is built. If it is null, supply it later.',
  })
  @IsOptional()
  @ValidateNested()
  location?: ServiceLocation | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Service level from the catalog, such as `enterprise`. Null selects the default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the service. Null selects the default: a name made of technology and place.',
  })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;
}

@InputType({ description: 'Service to request. It is ordered as soon as account and location are known.' })
export class ProvisioningRequestInput extends ProvisioningRequestDetails {
  @Field(() => ID, { description: 'Id of a catalog entry that can be built, such as `business_fiber`.' })
  @Characters(1, 100)
  serviceTemplate!: string;

  @Field(() => ProvisioningCustomizations, { description: 'Options of the service.' })
  @ValidateNested()
  customizations!: ProvisioningCustomizations;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY, description: 'How often the service is invoiced.' })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value; null clears an optional field.' })
export class ProvisioningRequestUpdateInput extends ProvisioningRequestDetails {
  @Field(() => ID, { nullable: true, description: 'Id of a catalog entry that can be built, such as `business_fiber`.' })
  @NotNull()
  @Characters(1, 100)
  serviceTemplate?: string;

  @Field(() => ProvisioningCustomizations, { nullable: true, description: 'Options of the service. Replaces all options.' })
  @NotNull()
  @ValidateNested()
  customizations?: ProvisioningCustomizations;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the service is invoiced.' })
  @NotNull()
  billingCycle?: BillingCycle;
}

@InputType({ description: 'Conditions for a list of provisioning requests.' })
export class ProvisioningRequestFilter {
  @Field(() => [ProvisioningRequestStatus], { nullable: true })
  status?: ProvisioningRequestStatus[];

  @Field(() => [ID], { nullable: true })
  accountId?: string[];
}

export enum ProvisioningRequestSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  PREFERRED_DATE = 'preferredDate',
  STATUS = 'status',
}
export const ProvisioningRequestSort = sortOf('ProvisioningRequest', ProvisioningRequestSortField, {
  PREFERRED_DATE: 'Preferred date of the schedule.',
});
