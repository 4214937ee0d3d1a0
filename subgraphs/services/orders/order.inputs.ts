import { ArrayMaxSize, IsOptional, Matches, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ORDER_CYCLE } from '../accounts/order-account.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';
import { ServiceContacts } from '../inventory/service-contacts.ts';

const ORDER_ACCOUNT =
  "Account that the service is for (`acc_…`). It must be active. Default: your organization's own account, or your only account if you are limited to one account. Required if you are limited to several accounts.";

@InputType({ description: 'Internet service to order.' })
export class InternetServiceOrderInput {
  @Field(() => ID, { nullable: true, description: ORDER_ACCOUNT })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => AccessTechnology, { description: 'Access technology. It must reach the location.' })
  serviceType!: AccessTechnology;

  @Field(() => String, { description: 'Bandwidth from the catalog, such as 500mbps or 1gbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => ServiceLocation, { description: 'Street address where the service is built.' })
  @ValidateNested()
  location!: ServiceLocation;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog, such as `enterprise`. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of technology and place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string;

  @Field(() => ID, { nullable: true, description: 'Quote whose price is used (`quote_…`). One of its lines must match the order.' })
  @IsOptional()
  @Matches(/^quote_\w+$/, { message: 'must be a quote id (quote_…)' })
  quoteId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Position of the line of the quote, from 0. Default: the first line of the quote that is not ordered yet.',
  })
  @IsOptional()
  @Min(0, { message: 'must be at least 0' })
  quoteLine?: number | null;
}

@InputType({ description: 'Service of the catalog to order.' })
export class CatalogOrderInput {
  @Field(() => ID, { description: 'Id of a catalog entry that can be ordered, such as `business_fiber`.' })
  @Characters(1, 100)
  catalogId!: string;

  @Field(() => ID, { nullable: true, description: ORDER_ACCOUNT })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Bandwidth from the catalog, such as 500mbps or 1gbps, if the service is sold by bandwidth.',
  })
  @IsOptional()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string | null;

  @Field(() => ServiceLocation, { nullable: true, description: 'Street address where the service is built, if the service has one.' })
  @IsOptional()
  @ValidateNested()
  location?: ServiceLocation | null;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Features from the catalog that are switched on, such as `static_ip`. At most 50.',
  })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: 'Settings that are specific to the kind of service, at most 16 KiB.' })
  @IsOptional()
  @MaxJson()
  configuration?: Record<string, unknown> | null;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => ServiceContacts, { nullable: true, description: 'People to contact about the service.' })
  @IsOptional()
  @ValidateNested()
  contacts?: ServiceContacts | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of the catalog entry and the place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;

  @Field(() => ID, { nullable: true, description: 'Quote whose price is used (`quote_…`). One of its lines must match the order.' })
  @IsOptional()
  @Matches(/^quote_\w+$/, { message: 'must be a quote id (quote_…)' })
  quoteId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Position of the line of the quote, from 0. Default: the first line of the quote that is not ordered yet.',
  })
  @IsOptional()
  @Min(0, { message: 'must be at least 0' })
  quoteLine?: number | null;
}
