import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { DeploymentSchedule, ProvisioningContacts, ProvisioningCustomizations } from './provisioning-request.values.ts';

const TEMPLATE = 'The id of a service of the catalog that can be built, such as `business_fiber`.';

/** What may be absent at first, and later too. */
@InputType()
abstract class ProvisioningRequestDetails {
  @Field(() => DeploymentSchedule, { nullable: true, description: 'Null: as soon as possible.' })
  @IsOptional()
  @ValidateNested()
  deploymentSchedule?: DeploymentSchedule | null;

  @Field(() => ProvisioningContacts, { nullable: true })
  @IsOptional()
  @ValidateNested()
  contacts?: ProvisioningContacts | null;

  @Field(() => ID, { nullable: true, description: 'The account that it is for; may be supplied later.' })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => ServiceLocation, { nullable: true, description: 'Where it is built; may be supplied later.' })
  @IsOptional()
  @ValidateNested()
  location?: ServiceLocation | null;

  @Field(() => String, { nullable: true, description: 'One of the catalog, such as `enterprise`. Default: the first of the catalog.' })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => String, { nullable: true, description: 'What the service is called. Default: what it is, and where.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;
}

@InputType({ description: 'A service that is wanted (specification 2.5). It is ordered once account and location are known.' })
export class ProvisioningRequestInput extends ProvisioningRequestDetails {
  @Field(() => ID, { description: TEMPLATE })
  @Characters(1, 100)
  serviceTemplate!: string;

  @Field(() => ProvisioningCustomizations)
  @ValidateNested()
  customizations!: ProvisioningCustomizations;

  @Field(() => BillingCycle, { defaultValue: BillingCycle.MONTHLY })
  billingCycle: BillingCycle = BillingCycle.MONTHLY;
}

@InputType({ description: 'What is left out stays as it is; null clears what may be absent.' })
export class ProvisioningRequestUpdateInput extends ProvisioningRequestDetails {
  @Field(() => ID, { nullable: true, description: TEMPLATE })
  @NotNull()
  @Characters(1, 100)
  serviceTemplate?: string;

  @Field(() => ProvisioningCustomizations, { nullable: true, description: 'Replaces all of them.' })
  @NotNull()
  @ValidateNested()
  customizations?: ProvisioningCustomizations;

  @Field(() => BillingCycle, { nullable: true })
  @NotNull()
  billingCycle?: BillingCycle;
}

@InputType()
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
export const ProvisioningRequestSort = sortOf('ProvisioningRequest', ProvisioningRequestSortField);
