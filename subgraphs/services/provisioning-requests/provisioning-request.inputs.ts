import { ArrayMaxSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ORDER_CYCLE } from '../accounts/order-account.ts';
import { bandwidthProblems } from '../coverage/bandwidth-option.ts';
import { ServiceLocation } from '../coverage/location.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import { OptionalQuoteLineField, QuoteIdField, QuoteLineField } from '../products/quote-fields.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';
import { DeploymentSchedule, ProvisioningContacts, ProvisioningCustomizations } from './provisioning-request.values.ts';

const OPTIONS =
  'Options of the service: its `bandwidth`, such as `500mbps`, if it is sold by bandwidth, and the same settings as in `configuration` of an order. An internet line has `redundancy` and `monitoring`. A network has `topology`, `locations` and `redundancy`. A SIP trunk has `channels` and `codec`. At most 16 KiB.';
const TYPED = { deprecationReason: 'Use `options`.', nullable: true } as const;

/** Optional fields of both inputs: the input that creates a provisioning request, and the input that updates it. */
@InputType()
@Rule<{ options?: unknown; customizations?: unknown }>(({ options, customizations }) =>
  options && customizations
    ? [{ field: 'customizations', reason: 'cannot be combined with options' }]
    : bandwidthProblems(options, 'options'),
)
abstract class ProvisioningRequestDetails {
  @Field(() => DeploymentSchedule, { nullable: true, description: 'Preferred date. Null means as soon as possible.' })
  @IsOptional()
  @ValidateNested()
  deploymentSchedule?: DeploymentSchedule | null;

  @Field(() => ProvisioningContacts, { nullable: true, description: 'People to contact about the request. Null means nobody.' })
  @IsOptional()
  @ValidateNested()
  contacts?: ProvisioningContacts | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Account that the service is for (`acc_…`). Null selects the default: your organization's own account, or your only account if you are limited to one account. Required if you are limited to several accounts.",
  })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => ServiceLocation, {
    nullable: true,
    description: 'Street address where the service is built, if the service has one. If it is null, supply it later.',
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
    description: 'Name of the service. Null selects the default: a name made of the catalog entry and the place.',
  })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Features from the catalog that are switched on, such as `static_ip`. At most 50. Null means none.',
  })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;

  @QuoteIdField(
    'Quote whose price is used (`quote_…`). One of its lines must match the request. The line of the quote is not reserved until the preferred date. If the quote is not valid on that date, or its line is already ordered, the request fails with this reason. Null means no quote.',
  )
  quoteId?: string | null;
}

@InputType({ description: 'Service to request. It is ordered as soon as nothing is missing.' })
export class ProvisioningRequestInput extends ProvisioningRequestDetails {
  @Field(() => ID, { description: 'Id of a catalog entry that can be ordered, such as `business_fiber`.' })
  @Characters(1, 100)
  serviceTemplate!: string;

  @Field(() => JsonObject, { nullable: true, description: `${OPTIONS} Missing options can be supplied later.` })
  @IsOptional()
  @MaxJson()
  options?: Configuration | null;

  @Field(() => ProvisioningCustomizations, { ...TYPED, description: 'Options of an internet line.' })
  @IsOptional()
  @ValidateNested()
  customizations?: ProvisioningCustomizations | null;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @QuoteLineField(
    'Position of the line of the quote, from 0. It needs `quoteId`. Null means the first line of the requested service that is not ordered yet.',
  )
  quoteLine?: number | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value; null clears an optional field.' })
export class ProvisioningRequestUpdateInput extends ProvisioningRequestDetails {
  @Field(() => ID, { nullable: true, description: 'Id of a catalog entry that can be ordered, such as `business_fiber`.' })
  @NotNull()
  @Characters(1, 100)
  serviceTemplate?: string;

  @Field(() => JsonObject, { nullable: true, description: `${OPTIONS} Replaces all options.` })
  @NotNull()
  @MaxJson()
  options?: Configuration;

  @Field(() => ProvisioningCustomizations, { ...TYPED, description: 'Options of an internet line. Replaces all options.' })
  @NotNull()
  @ValidateNested()
  customizations?: ProvisioningCustomizations;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the service is invoiced.' })
  @NotNull()
  billingCycle?: BillingCycle;

  @OptionalQuoteLineField(
    'Position of the line of the quote, from 0. Null means the first line of the requested service that is not ordered yet.',
  )
  quoteLine?: number | null;
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
